// c = a · b for square matrices of n × n floats, with the parameters of the matrix product in
// "Program optimization carving for GPU computing", Table 3.
//
// A block of tile_size × tile_size threads computes tile_size rows and tile_size · rectangle_tiles
// columns.
//   unroll_k       unroll factor of the loop over a tile
//   use_prefetch       1: the next tiles are loaded into registers while these are multiplied
//   spill_indices  1: a thread keeps its indices in shared memory, not in registers
#ifndef tile_size
#define tile_size 16
#define rectangle_tiles 2
#define unroll_k 16
#define use_prefetch 0
#define spill_indices 0
#endif

constexpr int kThreads = tile_size * tile_size;
constexpr int kUnroll = unroll_k;

// Where a thread loads from: its elements of the next tiles of a and b.
struct Indices {
  int a;
  int b;
};

struct Fetched {
  float a;
  float b[rectangle_tiles];
};

extern "C" __global__ void __launch_bounds__(kThreads)
    matrix_product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                   int n) {
  __shared__ float tile_a[tile_size][tile_size];
  __shared__ float tile_b[tile_size][tile_size * rectangle_tiles];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * tile_size + ty;
  int column = blockIdx.x * tile_size * rectangle_tiles + tx;
  Indices indices = {row * n + tx, ty * n + column};
#if spill_indices
  __shared__ volatile int spilled_a[kThreads];
  __shared__ volatile int spilled_b[kThreads];
  spilled_a[ty * tile_size + tx] = indices.a;
  spilled_b[ty * tile_size + tx] = indices.b;
#endif

  // Loads the thread's elements of the tiles that start at k, and moves its indices on.
  auto fetch = [&](int k) {
#if spill_indices
    indices = {spilled_a[ty * tile_size + tx], spilled_b[ty * tile_size + tx]};
#endif
    Fetched fetched;
    fetched.a = row < n && k + tx < n ? a[indices.a] : 0.0f;
#pragma unroll
    for (int j = 0; j < rectangle_tiles; ++j) {
      bool inside = k + ty < n && column + j * tile_size < n;
      fetched.b[j] = inside ? b[indices.b + j * tile_size] : 0.0f;
    }
    indices = {indices.a + tile_size, indices.b + tile_size * n};
#if spill_indices
    spilled_a[ty * tile_size + tx] = indices.a;
    spilled_b[ty * tile_size + tx] = indices.b;
#endif
    return fetched;
  };

  float sum[rectangle_tiles] = {};
#if use_prefetch
  Fetched next = fetch(0);
#endif
  for (int k = 0; k < n; k += tile_size) {
#if !use_prefetch
    Fetched next = fetch(k);
#endif
    tile_a[ty][tx] = next.a;
#pragma unroll
    for (int j = 0; j < rectangle_tiles; ++j) tile_b[ty][tx + j * tile_size] = next.b[j];
    __syncthreads();
#if use_prefetch
    next = fetch(k + tile_size);
#endif
#pragma unroll kUnroll
    for (int i = 0; i < tile_size; ++i) {
#pragma unroll
      for (int j = 0; j < rectangle_tiles; ++j)
        sum[j] += tile_a[ty][i] * tile_b[i][tx + j * tile_size];
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < rectangle_tiles; ++j) {
    if (row < n && column + j * tile_size < n) c[row * n + column + j * tile_size] = sum[j];
  }
}

// One thread per element of c, 32 × 8 threads.
extern "C" __global__ void matrix_product_reference(const float* a, const float* b, float* c,
                                                    int n) {
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 8 + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}
