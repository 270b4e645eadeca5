// Hand-written: Horner's scheme, one multiply-add per coefficient. The coefficients are in shared memory; a thread
// evaluates eight points at once, so that a coefficient is used eight times and eight chains are independent.
#include <cuda_runtime.h>

namespace {
constexpr int kMaxDegree = 255;
constexpr int kQuads = 2;  // per thread

__global__ void __launch_bounds__(256)
    evaluate(const float4 *__restrict__ x, float4 *__restrict__ y, const float *__restrict__ coefficients, int degree,
             int quads) {
  __shared__ float shared[kMaxDegree + 1];
  for (int k = threadIdx.x; k <= degree; k += blockDim.x) shared[k] = coefficients[k];
  __syncthreads();
  const int first = blockIdx.x * blockDim.x * kQuads + threadIdx.x;
  float4 point[kQuads], sum[kQuads] = {};
#pragma unroll
  for (int j = 0; j < kQuads; ++j) {
    const int i = first + j * blockDim.x;
    point[j] = i < quads ? __ldcs(&x[i]) : float4{};
  }
#pragma unroll 4
  for (int k = degree; k >= 0; --k) {
    const float c = shared[k];
#pragma unroll
    for (int j = 0; j < kQuads; ++j) {
      sum[j].x = fmaf(sum[j].x, point[j].x, c);
      sum[j].y = fmaf(sum[j].y, point[j].y, c);
      sum[j].z = fmaf(sum[j].z, point[j].z, c);
      sum[j].w = fmaf(sum[j].w, point[j].w, c);
    }
  }
#pragma unroll
  for (int j = 0; j < kQuads; ++j) {
    const int i = first + j * blockDim.x;
    if (i < quads) __stcs(&y[i], sum[j]);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *x = *(const float4 **)arguments[0];
  float4 *y = *(float4 **)arguments[1];
  const float *coefficients = *(const float **)arguments[2];
  const int degree = *(int *)arguments[3], quads = *(int *)arguments[4] / 4;
  const int per_block = 256 * kQuads;
  evaluate<<<(quads + per_block - 1) / per_block, 256, 0, stream>>>(x, y, coefficients, degree, quads);
}
