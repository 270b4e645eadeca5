// Kernels whose loops keep the best of several values, or send some lanes another way because of what they have
// loaded; and rows that two loops go through. tests/advise/choice_rules_test.cc says what is asked of each.

// Which of `count` numbers is nearest to each of few: the smallest distance and its index.
extern "C" __global__ void nearest(const float* from, const float* to, int* index, float* distance, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own = from[i], best = 1e30f;
  int which = 0;
  for (int k = 0; k < count; k++) {
    float apart = fabsf(to[k] - own);
    if (apart < best) {
      best = apart;
      which = k;
    }
  }
  index[i] = which;
  distance[i] = best;
}

// Weighed sums over a small square for each thread.
extern "C" __global__ void weigh_squares(const float* squares, float* sums, int count, int side) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= count) return;
  float sum = 0.0f;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) sum += squares[(s * side + y) * side + x] * (x + y);
  sums[s] = sum;
}

// How many elements of one list are in another, for lists that each thread has.
extern "C" __global__ void count_shared(const int* left, const int* right, int* counts, int count, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  int found = 0;
  for (int i = 0; i < length; i++)
    for (int j = 0; j < length; j++)
      if (left[r * length + i] == right[r * length + j]) {
        found++;
        break;
      }
  counts[r] = found;
}

// Each thread goes forth and back through its own rows; each element needs the one before.
extern "C" __global__ void sweep_rows(const float* rates, float* states, int count, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  for (int k = 1; k < length; k++) states[r * length + k] -= rates[r * length + k] * states[r * length + k - 1];
  for (int k = length - 2; k >= 0; k--) states[r * length + k] -= rates[r * length + k] * states[r * length + k + 1];
}

// Which side of an edge a point is on matters to some points only.
extern "C" __global__ void crossings(const float* points, const float* heights, const float* slopes, int* counts,
                                     int edges) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = points[i];
  int inside = 0;
  for (int e = 0; e + 1 < edges; e++) {
    if ((heights[e] > x) != (heights[e + 1] > x)) {
      float at = slopes[e] * (x - heights[e]) + slopes[e + 1] * (x - heights[e + 1]);
      if (sinf(at) < x) inside = !inside;
    }
  }
  counts[i] = inside;
}

// One element for each thread, with a parameter that its column chooses.
extern "C" __global__ void activate(const float* values, const float* shifts, float* out, int count, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float v = values[i] + shifts[i % columns];
  out[i] = 0.5f * v * (1.0f + tanhf(v));
}

// Sums over what a row of its own names for each thread, all over a table.
extern "C" __global__ void sum_named(const float* table, const int* names, float* sums, int count, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  float sum = 0.0f;
  for (int k = 0; k < length; k++) {
    int at = 3 * names[r * length + k];
    sum += table[at] * table[at + 1] + table[at + 2];
  }
  sums[r] = sum;
}

// Each block adds a row to the row of a large table that data name.
extern "C" __global__ void add_to_rows(const float* rows, const int* names, float* table, int length) {
  int k = threadIdx.x;
  atomicAdd(&table[names[blockIdx.x] * length + k], rows[blockIdx.x * length + k]);
}

// Threads draw numbers from their own, and count those that are small.
extern "C" __global__ void count_draws(unsigned* counted, unsigned seed, int count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = i * 2654435761u + seed;
  for (int k = 0; k < 8; k++) x = (x ^ (x >> 15)) * 2246822519u + 3266489917u;
  if (x < (1u << 30)) atomicAdd(counted, 1u);
}
