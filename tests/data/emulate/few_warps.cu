// Launches with few warps on each SM, whose code would do the same with more, or not; an index in shared
// memory that padding helps, and one that it does not help; a loop that calls an inlined function
// (tests/advise).
static __device__ __forceinline__ float decay(float a, float t) {
  float s = a * t;
  return a * __expf(-s);
}
extern "C" __global__ void damp(float* __restrict__ a, const float* __restrict__ t, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    a[i] = decay(a[i], t[i]);
  }
}
// Rows that depend on each other, spread over the threads of a block.
extern "C" __global__ void carry_rows(const int* __restrict__ add, int* __restrict__ out, int rows,
                                      int columns) {
  extern __shared__ int row[];
  int* next = row + columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) row[c] = c;
  __syncthreads();
  for (int r = 0; r < rows; r++) {
    int step = 1 + add[blockIdx.x * rows + r];
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
      next[c] = c >= step ? max(row[c], row[c - step] + step) : row[c];
    }
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x) row[c] = next[c];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = row[c];
}
// The nearest later point: the number of iterations falls from thread to thread.
extern "C" __global__ void nearest_later(const float2* __restrict__ p, unsigned long long* best,
                                         int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float least = 1e30f;
  int at = -1;
  if (i < n - 1) {
    float2 a = p[i];
    for (int j = i + 1; j < n; j++) {
      float2 b = p[j];
      float d = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
      if (d < least) {
        least = d;
        at = j;
      }
    }
  }
  if (at >= 0) atomicMin(best, (unsigned long long)__float_as_uint(least) << 32 | unsigned(at));
}
// Steps of a sorting network: partners in other banks whatever the padding, but for the first ones.
extern "C" __global__ void network(int* __restrict__ keys) {
  __shared__ int s[512];
  int t = threadIdx.x;
  s[t] = keys[blockIdx.x * 512 + t];
  s[t + 256] = keys[blockIdx.x * 512 + t + 256];
  for (int k = 2; k <= 512; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      int i = 2 * t - (t & (j - 1));
      int a = s[i], b = s[i + j];
      if ((a > b) == ((i & k) == 0)) {
        s[i] = b;
        s[i + j] = a;
      }
    }
  }
  __syncthreads();
  keys[blockIdx.x * 512 + t] = s[t];
  keys[blockIdx.x * 512 + t + 256] = s[t + 256];
}
// Each thread sums 16 words in a row.
extern "C" __global__ void runs(const int* __restrict__ a, int* __restrict__ b) {
  __shared__ int s[4096];
  int t = threadIdx.x;
  for (int k = 0; k < 16; k++) s[k * 256 + t] = a[blockIdx.x * 4096 + k * 256 + t];
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 16; k++) sum += s[t * 16 + k] * (k + sum);
  b[blockIdx.x * 256 + t] = sum;
}
// Pairs of words in rows of 32 pairs, read by columns. The compiler merges two stores into one.
extern "C" __global__ void turn_pairs(const float2* __restrict__ a, float2* __restrict__ b) {
  __shared__ float2 tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k < 32; k += 16) {
    const float2* from = a + (blockIdx.x * 32 + y + k) * 32 + 2 * x;
    tile[y + k][2 * x] = from[0];
    tile[y + k][2 * x + 1] = from[1];
  }
  __syncthreads();
  for (int k = 0; k < 32; k += 16) {
    for (int h = 0; h < 32; h += 16) {
      b[(blockIdx.x * 32 + y + k) * 32 + x + h] = tile[x + h][y + k];
    }
  }
}
// Each value needs the one before, which the thread has stored.
extern "C" __global__ void smooth_lines(const float* __restrict__ a, float* b, int lines,
                                        int length) {
  int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l >= lines) return;
  b[l] = a[l];
  for (int i = 1; i < length; i++) {
    b[i * lines + l] = 0.5f * b[(i - 1) * lines + l] + a[i * lines + l];
  }
}
// The compiler makes a loop of the addition: a load, an addition, a compare-and-swap.
extern "C" __global__ void add_up(const float* __restrict__ a, float* __restrict__ b) {
  __shared__ float sums[2];
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  __syncthreads();
  float x = a[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&sums[0], x);
  atomicAdd(&sums[1], x * x);
  __syncthreads();
  if (threadIdx.x < 2) b[blockIdx.x * 2 + threadIdx.x] = sums[threadIdx.x];
}
