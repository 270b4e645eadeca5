// Lanes that are far apart, and what can and cannot be said about it: for the tests of the advice.

// A vector of eight values for each index, scaled: each value is stored, and none is combined.
extern "C" __global__ void scaled_vectors(const int* chosen, const float* vectors, float* scaled, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float* from = vectors + chosen[i] * 8;
  for (int k = 0; k < 8; k++) scaled[i * 8 + k] = 2.0f * from[k];
}

// Rows of 48 values, 192 bytes apart, each brought to a sum of one.
extern "C" __global__ void to_unit_sum(const float* rows, float* shares, int count, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  float sum = 0.0f;
  for (int k = 0; k < length; k++) sum += rows[r * length + k];
  for (int k = 0; k < length; k++) shares[r * length + k] = rows[r * length + k] / sum;
}

// The products of one row with those before it: the last lanes have a row less than the first.
extern "C" __global__ void products_before(const float* rows, float* products, int count, int length) {
  int i = blockIdx.x;
  for (int j = threadIdx.x; j <= i; j += blockDim.x) {
    float sum = 0.0f;
    for (int k = 0; k < length; k++) sum += rows[i * length + k] * rows[j * length + k];
    products[i * count + j] = sum;
  }
}

// The longest run of set bits over the words of each thread's 128 bytes, in order.
extern "C" __global__ void longest_run(const unsigned* words, int* longest, int count, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  int run = 0, most = 0;
  for (int k = 0; k < length; k++) {
    run = max(run + (int)words[r * length + k], 0);
    most = max(most, run);
  }
  longest[r] = most;
}

// Up to six neighbouring slots of a large table from a place that a key decides.
extern "C" __global__ void slots_tried(const unsigned* keys, const unsigned* table, int* tried, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned key = keys[i], at = key * 2246822519u & mask;
  int k = 0;
  while (k < 6 && table[at] != key && (table[at] & 1) != 0) {
    at = at + 1 & mask;
    k++;
  }
  tried[i] = k;
}

// Values of a small table that all blocks look up.
extern "C" __global__ void looked_up(const int* at, const float* table, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = table[at[i]];
}

// A product of matrices whose result is loaded and stored along the wrong index.
extern "C" __global__ void add_product(const float* a, const float* b, float* sums, int n, int length) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < length; k++) sum += a[k * n + row] * b[k * n + column];
  sums[row * n + column] = sum + sums[row * n + column];
}

// A window of 5 × 5 values around each result.
extern "C" __global__ void window_sums(const float* in, const float* weights, float* out, int width, int radius) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int pitch = width + 2 * radius;
  float sum = 0.0f;
  for (int v = 0; v <= 2 * radius; v++)
    for (int u = 0; u <= 2 * radius; u++)
      sum += in[(y + v) * pitch + x + u] * weights[v * (2 * radius + 1) + u];
  out[y * width + x] = sum;
}

// The sum of a few values from a place that each thread looks up.
extern "C" __global__ void sums_from(const int* starts, const float* values, float* sums, int count, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0.0f;
  for (int k = 0; k < length; k++) sum += values[starts[i] + k];
  sums[i] = sum;
}

// Two of the seven fields of each structure change by a third, and by a value of a small table.
struct Tree {
  float x, y, height, age, growth, light, water;
};
extern "C" __global__ void grow(Tree* trees, const float* soil, float years, int places) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float height = trees[i].height, growth = trees[i].growth;
  int place = min(max((int)(height * places), 0), places - 2);
  growth += years * (soil[place] + soil[place + 1]) * trees[i].water;
  trees[i].height = height + years * growth;
  trees[i].growth = growth;
}

// The sum of the values that each thread's list names.
extern "C" __global__ void sums_named(const int* starts, const int* names, const float* values, float* sums, int count) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  float sum = 0.0f;
  for (int k = starts[r]; k < starts[r + 1]; k++) sum += values[names[k]];
  sums[r] = sum;
}
