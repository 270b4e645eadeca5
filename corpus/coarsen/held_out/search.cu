// Searches in sorted tables (kind binarySearch): loops whose trip counts differ from thread to thread.

// One key per thread; the bounds check encloses the whole search.
__global__ void search_guarded(const int* __restrict__ table, const int* __restrict__ keys,
                               int* __restrict__ places, int entries, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int low = 0, high = entries;
    while (low < high) {
      int middle = (low + high) / 2;
      if (table[middle] < keys[i]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    places[i] = low;
  }
}

// Returns from inside the loop as soon as the key is found.
__global__ void search_until_found(const int* __restrict__ table, const int* __restrict__ keys,
                                   int* __restrict__ places, int entries, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int key = keys[i], low = 0, high = entries - 1;
  while (low <= high) {
    int middle = (low + high) >> 1, value = table[middle];
    if (value == key) {
      places[i] = middle;
      return;
    }
    if (value < key) {
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  places[i] = -1 - low;
}

// Fewer threads than keys: a grid-stride loop around the search.
__global__ void search_grid_stride(const int* __restrict__ table, const int* __restrict__ keys,
                                   int* __restrict__ places, int entries, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int low = 0, count = entries;
    while (count > 0) {
      int half = count / 2;
      if (table[low + half] <= keys[i]) {
        low += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    places[i] = low;
  }
}
