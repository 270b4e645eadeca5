// k-means: points through a linear texture, centres in constant memory, and an image through a 2-D
// texture that is resampled with linear filtering.
#include "common.cuh"

constexpr int kCentres = 16, kFeatures = 8;
__constant__ float centres[kCentres * kFeatures];

__global__ void nearest_centre(cudaTextureObject_t points, int* owner, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 1e30f;
  int index = 0;
  for (int c = 0; c < kCentres; ++c) {
    float distance = 0;
    for (int f = 0; f < kFeatures; ++f) {
      const float d = tex1Dfetch<float>(points, i + f * n) - centres[c * kFeatures + f];
      distance += d * d;
    }
    if (distance < best) best = distance, index = c;
  }
  owner[i] = index;
}

__global__ void sum_centres(cudaTextureObject_t points, const int* owner, float* sums, int* counts, int n) {
  __shared__ float part[kCentres * kFeatures];
  __shared__ int count[kCentres];
  for (int j = threadIdx.x; j < kCentres * kFeatures; j += blockDim.x) part[j] = 0;
  if (threadIdx.x < kCentres) count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int c = owner[i];
    atomicAdd(&count[c], 1);
    for (int f = 0; f < kFeatures; ++f)
      atomicAdd(&part[c * kFeatures + f], tex1Dfetch<float>(points, i + f * n));
  }
  __syncthreads();
  for (int j = threadIdx.x; j < kCentres * kFeatures; j += blockDim.x) atomicAdd(&sums[j], part[j]);
  if (threadIdx.x < kCentres) atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

__global__ void rotate(cudaTextureObject_t image, float* out, int n, float c, float s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float u = x - n / 2, v = y - n / 2;
  out[y * n + x] = tex2D<float>(image, c * u - s * v + n / 2, s * u + c * v + n / 2);
}

int main() {
  const int n = 1 << 18;
  float* points = upload(small_floats(n * kFeatures, 21));
  cudaResourceDesc linear{};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = points;
  linear.res.linear.desc = cudaCreateChannelDesc<float>();
  linear.res.linear.sizeInBytes = sizeof(float) * n * kFeatures;
  cudaTextureDesc reading{};
  reading.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &linear, &reading, nullptr));
  const std::vector<float> start = small_floats(kCentres * kFeatures, 22);
  CHECK(cudaMemcpyToSymbol(centres, start.data(), start.size() * sizeof(float)));
  int* owner = zeros<int>(n);
  float* sums = zeros<float>(kCentres * kFeatures);
  int* counts = zeros<int>(kCentres);
  for (int step = 0; step < 3; ++step) {
    nearest_centre<<<n / 256, 256>>>(texture, owner, n);
    sum_centres<<<264, 256>>>(texture, owner, sums, counts, n);
  }
  const int side = 1024;
  const std::vector<float> pixels = small_floats(side * side, 23);
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, side, side));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels.data(), side * 4, side * 4, side,
                            cudaMemcpyHostToDevice));
  cudaResourceDesc image{};
  image.resType = cudaResourceTypeArray;
  image.res.array.array = array;
  reading.filterMode = cudaFilterModeLinear;
  reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t plane = 0;
  CHECK(cudaCreateTextureObject(&plane, &image, &reading, nullptr));
  float* out = zeros<float>(side * side);
  for (int step = 0; step < 3; ++step)
    rotate<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(plane, out, side, 0.8f, 0.6f);
  return finish();
}
