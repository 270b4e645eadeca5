// Kernels whose block shape is free, fixed or free under conditions: what the reshape proof decides.

// One block does a whole loop: blockDim.x strides, gridDim.x is not asked for.
extern "C" __global__ void one_block_scale(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 2.0f * in[i] + 1.0f;
}

// Blocks of 32 threads, as the code says: larger ones would skip data.
extern "C" __global__ void strips_of_32(const float* in, float* out, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i < n) out[i] = sqrtf(in[i]);
}

// A tile with a barrier: 64 threads, each of which reads its neighbour's element.
extern "C" __global__ void tile_of_64(const float* in, float* out, int n) {
  __shared__ float tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x ^ 1] - tile[threadIdx.x];
}

// Guarded, one element per thread.
extern "C" __global__ void guarded_line(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

// Guarded in two dimensions.
extern "C" __global__ void guarded_plane(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] = in[x * height + y];
}

// Without a guard: only shapes with the same number of threads.
extern "C" __global__ void unguarded_line(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1.0f;
}

// A grid-stride loop whose iterations share nothing.
extern "C" __global__ void strided_line(const float* in, float* out, int n) {
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i] + 1.0f;
}

// A sum per thread over a grid-stride loop: another number of threads adds in another order.
extern "C" __global__ void strided_sums(const float* in, float* out, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int i = first; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  out[first] = sum;
}

// A warp adds up its lanes' values.
extern "C" __global__ void shuffled_sums(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0.0f;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) out[i / 32] = value;
}

// Integer counts commute; the order of the threads does not matter.
extern "C" __global__ void counted_digits(const int* in, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[in[i] & 15], 1);
}

// Float sums do not: each order rounds otherwise.
extern "C" __global__ void summed_digits(const float* in, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[i & 15], in[i]);
}

// The position in 64 bits.
extern "C" __global__ void wide_line(const float* in, float* out, size_t n) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 3.0f;
}

// Each thread changes its own element, or reads its neighbour's, which another thread changes.
extern "C" __global__ void own_element(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * 0.5f;
}
extern "C" __global__ void neighbours_element(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) data[i] = data[i + 1] * 0.5f;
}
