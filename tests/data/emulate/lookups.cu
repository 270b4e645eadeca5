// Kernels in which it matters whether all lanes load the same, and what a barrier orders
// (tests/advise).

// Every lane looks up the same class, in a row of its own.
extern "C" __global__ void classes_alike(const unsigned char* __restrict__ a,
                                         const int* __restrict__ classes, int* __restrict__ out,
                                         int n, int tones) {
  __shared__ int sums[256][12];
  int i = blockIdx.x * 256 + threadIdx.x;
  int* own = sums[threadIdx.x];
  for (int k = 0; k < 12; ++k) own[k] = 0;
  for (int tone = 0; tone < tones; ++tone) own[classes[tone]] += a[tone * n + i];
  int largest = 0;
  for (int k = 0; k < 12; ++k) largest = max(largest, own[k]);
  out[i] = largest;
}

// Every lane looks up a class of its own, in a table that all share.
extern "C" __global__ void classes_by_lane(const unsigned char* __restrict__ a,
                                           int* __restrict__ out, int n, int tones) {
  __shared__ int weights[256];
  weights[threadIdx.x] = threadIdx.x * threadIdx.x;
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  int sum = 0;
  for (int tone = 0; tone < tones; ++tone) sum += weights[a[tone * n + i]];
  out[i] = sum;
}

// The next step's loads could be issued before the barrier: nothing in the loop stores to global
// memory. The pointers are not __restrict__.
extern "C" __global__ void steps_of_block(const unsigned char* panel, const unsigned char* row,
                                          float* out, int steps) {
  __shared__ float parts[2][8];
  float likely = 1.0f / 256;
  for (int step = 0; step < steps; ++step) {
    float value = likely;
#pragma unroll
    for (int k = 16; k > 0; k /= 2) value += __shfl_xor_sync(~0u, value, k);
    if (threadIdx.x % 32 == 0) parts[step % 2][threadIdx.x / 32] = value;
    __syncthreads();
    float total = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) total += parts[step % 2][k];
    unsigned seen = panel[step * 256 + threadIdx.x] ^ row[blockIdx.x * steps + step];
    likely = (__fdividef(0.95f * likely, total) + 0.01f) * ((seen & 1) == 0 ? 0.99f : 0.01f);
  }
  out[blockIdx.x * 256 + threadIdx.x] = likely;
}

// Each iteration needs the one before, and the first warp has the most.
extern "C" __global__ void growth(const float* __restrict__ pace, float* __restrict__ out,
                                  int months) {
  __shared__ float parts[8];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float own = pace[blockIdx.x * 256 + threadIdx.x], size = 0.01f;
  for (int month = warp * months / 8; month < months; ++month)
    size += 0.01f * own * __expf(-2.0f * size);
  for (int k = 16; k > 0; k /= 2) size += __shfl_down_sync(~0u, size, k);
  if (lane == 0) parts[warp] = size;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int k = 0; k < 8; ++k) total += parts[k];
    out[blockIdx.x] = total;
  }
}

// Each pixel is a byte, and a loop of its own: four pixels per thread are four loops.
extern "C" __global__ void escape_times(unsigned char* __restrict__ image, int width, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float cr = 3.0f * x / width - 2.0f, ci = 3.0f * y / width - 1.5f, r = 0, i = 0;
  int k = 0;
  while (k < most && r * r + i * i < 4.0f) {
    float next = r * r - i * i + cr;
    i = 2.0f * r * i + ci;
    r = next;
    ++k;
  }
  image[y * width + x] = k;
}

// Rows begin at any word, so that their elements cannot be loaded four at a time.
extern "C" __global__ void rows_anywhere(const int* __restrict__ starts,
                                         const float* __restrict__ values,
                                         float* __restrict__ sums, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k];
  sums[row] = sum;
}
