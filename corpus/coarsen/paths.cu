// Shortest paths and other graph kernels (kind floydWarshall).

// One pass: all pairs through vertex k. Only shorter paths are written, so row and column k stay.
__global__ void floyd_pass(int* __restrict__ distance, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  int through = distance[y * n + k] + distance[k * n + x];
  if (through < distance[y * n + x]) distance[y * n + x] = through;
}

// One pass from one buffer to another, with the predecessor of each pair.
__global__ void floyd_pass_paths(const int* __restrict__ in, int* __restrict__ out,
                                 int* __restrict__ path, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < n) {
    int to = in[y * n + k];
    if (x < n) {
      int old = in[y * n + x], through = to + in[k * n + x];
      if (through < old) {
        out[y * n + x] = through;
        path[y * n + x] = k;
      } else {
        out[y * n + x] = old;
      }
    }
  }
}

// A matrix of 16×16 per block, all passes in shared memory with a barrier after each.
__global__ void floyd_matrix(const int* __restrict__ in, int* __restrict__ out) {
  constexpr int kSide = 16;
  __shared__ int d[kSide * kSide];
  int base = blockIdx.x * kSide * kSide;
  for (int c = threadIdx.x; c < kSide * kSide; c += blockDim.x) d[c] = in[base + c];
  __syncthreads();
  for (int k = 0; k < kSide; ++k) {
    int best[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int c = threadIdx.x + 64 * j;
      best[j] = min(d[c], d[c / kSide * kSide + k] + d[k * kSide + c % kSide]);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 4; ++j) d[threadIdx.x + 64 * j] = best[j];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < kSide * kSide; c += blockDim.x) out[base + c] = d[c];
}

// A thread per row: the row's distance to k is loaded once.
__global__ void floyd_rows(const int* __restrict__ in, int* __restrict__ out, int n, int k) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < n) {
    int to = in[y * n + k];
    for (int x = 0; x < n; ++x) out[y * n + x] = min(in[y * n + x], to + in[k * n + x]);
  }
}

// Follows parents (made acyclic by taking the smaller) to the root: a data-dependent while loop.
__global__ void component_roots(const int* __restrict__ parents, int* __restrict__ roots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = i, steps = 0;
  while (parents[at] < at) {
    at = parents[at];
    ++steps;
  }
  roots[i] = at * 1000 + steps;
}

// A block per row of a sparse matrix: the row's length decides how often the block meets at barriers.
__global__ void row_degrees(const int* __restrict__ first, const int* __restrict__ values,
                            int* __restrict__ sums) {
  __shared__ int tile[64];
  int begin = first[blockIdx.x], end = first[blockIdx.x + 1], sum = 0;
  for (int e = begin; e < end; e += 16) {
    tile[threadIdx.x] = threadIdx.x < 16 && e + threadIdx.x < end ? values[e + threadIdx.x] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int k = 0; k < 16; ++k) sum = sum * 3 + tile[k];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
