// Searches in sorted tables (kind binarySearch): loops whose trip counts differ from thread to thread.

// Every thread owns one segment of the table; the one whose segment holds the key records it.
__global__ void search_segments(const int* __restrict__ table, int* __restrict__ found, int key,
                                int segments) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 >= segments) return;
  int low = table[i], high = table[i + 1];
  if (low <= key && key < high) {
    found[i] = key - low + 1;
  } else if (key == high) {
    found[i] = -1;
  }
}

// Row y searches with its own key set in table y % tables.
__global__ void search_tables(const int* __restrict__ table, const int* __restrict__ keys,
                              int* __restrict__ places, int entries, int tables, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int at = y * gridDim.x * blockDim.x + x;
  const int* own = table + y % tables * (entries - 1);
  int low = 0, high = entries, steps = 0;
  while (x < n && low < high) {
    int middle = low + (high - low) / 2;
    bool right = own[middle] - own[0] < keys[at];
    low = right ? middle + 1 : low;
    high = right ? high : middle;
    ++steps;
  }
  places[at] = low * 64 + steps;
}

// The table is first copied to shared memory by the whole block.
__global__ void search_shared_table(const int* __restrict__ table, const int* __restrict__ keys,
                                    int* __restrict__ places, int n) {
  constexpr int kEntries = 129;
  __shared__ int copy[kEntries];
  for (int k = threadIdx.x; k < kEntries; k += blockDim.x) copy[k] = table[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int key = keys[i], low = 0, high = kEntries;
  do {
    int middle = (low + high) / 2;
    if (copy[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  } while (low < high);
  places[i] = low;
}

// All threads that see a key store the same flag.
__global__ void search_any(const int* __restrict__ values, int* __restrict__ found, int n, int digit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && values[i] % 10 == digit) found[values[i] / 10] = 1;
}
