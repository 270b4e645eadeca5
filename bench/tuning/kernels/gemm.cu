// c = a · b in single precision: a has m × k elements, b has k × n, all row by row.
// n and k must be multiples of vector_width.
//
// A block computes block_size_y · tile_m rows and block_size_x · tile_n columns of c, a thread
// tile_m × tile_n of them. tile_k columns of a (stored transposed) and rows of b are in shared
// memory at a time.
//   vector_width  elements per load from global memory, and per load of b from shared memory
//   stage_count   2: the next tiles are loaded while these are multiplied, one barrier per tile
//   padding_a     unused words after each row of the tile of a
#ifndef block_size_x
#define block_size_x 16
#define block_size_y 16
#define tile_m 4
#define tile_n 4
#define tile_k 16
#define vector_width 4
#define stage_count 2
#define padding_a 4
#endif

constexpr int kThreads = block_size_x * block_size_y;
constexpr int kTileM = block_size_y * tile_m;
constexpr int kTileN = block_size_x * tile_n;
constexpr int kLoadsA = kTileM * tile_k / (kThreads * vector_width);
constexpr int kLoadsB = kTileN * tile_k / (kThreads * vector_width);
constexpr int kVectorsN = tile_n / vector_width;

struct __align__(4 * vector_width) Vector {
  float at[vector_width];
};

// The part of both tiles that one thread loads.
struct Fetched {
  Vector a[kLoadsA];
  Vector b[kLoadsB];
};

struct __align__(16) Tiles {
  float a[tile_k][kTileM + padding_a];
  float b[tile_k][kTileN];
};

__device__ void fetch(Fetched& fetched, const float* a, const float* b, int m, int n, int k,
                      int first_row, int first_column, int first_k, int thread) {
  constexpr int kVectorsPerRowA = tile_k / vector_width;
  constexpr int kVectorsPerRowB = kTileN / vector_width;
#pragma unroll
  for (int i = 0; i < kLoadsA; ++i) {
    int load = thread + i * kThreads;
    int row = first_row + load / kVectorsPerRowA;
    int column = first_k + load % kVectorsPerRowA * vector_width;
    fetched.a[i] = row < m && column < k
                       ? *reinterpret_cast<const Vector*>(&a[static_cast<size_t>(row) * k + column])
                       : Vector{};
  }
#pragma unroll
  for (int i = 0; i < kLoadsB; ++i) {
    int load = thread + i * kThreads;
    int row = first_k + load / kVectorsPerRowB;
    int column = first_column + load % kVectorsPerRowB * vector_width;
    fetched.b[i] = row < k && column < n
                       ? *reinterpret_cast<const Vector*>(&b[static_cast<size_t>(row) * n + column])
                       : Vector{};
  }
}

__device__ void put(Tiles& tiles, const Fetched& fetched, int thread) {
  constexpr int kVectorsPerRowA = tile_k / vector_width;
  constexpr int kVectorsPerRowB = kTileN / vector_width;
#pragma unroll
  for (int i = 0; i < kLoadsA; ++i) {
    int load = thread + i * kThreads;
#pragma unroll
    for (int v = 0; v < vector_width; ++v) {
      tiles.a[load % kVectorsPerRowA * vector_width + v][load / kVectorsPerRowA] =
          fetched.a[i].at[v];
    }
  }
#pragma unroll
  for (int i = 0; i < kLoadsB; ++i) {
    int load = thread + i * kThreads;
    *reinterpret_cast<Vector*>(
        &tiles.b[load / kVectorsPerRowB][load % kVectorsPerRowB * vector_width]) = fetched.b[i];
  }
}

__device__ void multiply(const Tiles& tiles, float (&sum)[tile_m][tile_n]) {
#pragma unroll 8
  for (int k = 0; k < tile_k; ++k) {
    float x[tile_m];
    Vector y[kVectorsN];
#pragma unroll
    for (int i = 0; i < tile_m; ++i) x[i] = tiles.a[k][threadIdx.y * tile_m + i];
#pragma unroll
    for (int j = 0; j < kVectorsN; ++j) {
      y[j] = *reinterpret_cast<const Vector*>(
          &tiles.b[k][(j * block_size_x + threadIdx.x) * vector_width]);
    }
#pragma unroll
    for (int i = 0; i < tile_m; ++i) {
#pragma unroll
      for (int j = 0; j < tile_n; ++j) sum[i][j] += x[i] * y[j / vector_width].at[j % vector_width];
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
         int n, int k) {
  __shared__ Tiles tiles[stage_count];
  int thread = threadIdx.y * block_size_x + threadIdx.x;
  int first_row = blockIdx.y * kTileM;
  int first_column = blockIdx.x * kTileN;
  float sum[tile_m][tile_n] = {};
  Fetched fetched;

#if stage_count == 1
  for (int first_k = 0; first_k < k; first_k += tile_k) {
    fetch(fetched, a, b, m, n, k, first_row, first_column, first_k, thread);
    put(tiles[0], fetched, thread);
    __syncthreads();
    multiply(tiles[0], sum);
    __syncthreads();
  }
#else
  fetch(fetched, a, b, m, n, k, first_row, first_column, 0, thread);
  put(tiles[0], fetched, thread);
  __syncthreads();
  int stage = 0;
  for (int first_k = 0; first_k < k; first_k += tile_k) {
    bool more = first_k + tile_k < k;
    if (more) fetch(fetched, a, b, m, n, k, first_row, first_column, first_k + tile_k, thread);
    multiply(tiles[stage], sum);
    stage ^= 1;
    if (more) put(tiles[stage], fetched, thread);
    __syncthreads();
  }
#endif

#pragma unroll
  for (int i = 0; i < tile_m; ++i) {
    int row = first_row + threadIdx.y * tile_m + i;
#pragma unroll
    for (int j = 0; j < kVectorsN; ++j) {
      int column = first_column + (j * block_size_x + threadIdx.x) * vector_width;
      if (row < m && column < n) {
        Vector result;
#pragma unroll
        for (int v = 0; v < vector_width; ++v) result.at[v] = sum[i][j * vector_width + v];
        *reinterpret_cast<Vector*>(&c[static_cast<size_t>(row) * n + column]) = result;
      }
    }
  }
}

// One thread per element of c, 32 × 8 threads.
extern "C" __global__ void gemm_reference(const float* a, const float* b, float* c, int m, int n,
                                          int k) {
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    sum += a[static_cast<size_t>(row) * k + i] * b[static_cast<size_t>(i) * n + column];
  }
  c[static_cast<size_t>(row) * n + column] = sum;
}
