// Hand-written: Horner's scheme, one multiply-add per coefficient. The coefficients are in shared memory; a thread
// evaluates eight points at once, so that a coefficient is used eight times and eight chains are independent. The next
// eight points are loaded while the current ones are evaluated, so that memory and arithmetic overlap.
#include <cuda_runtime.h>

#include <cstdio>

namespace {
constexpr int kMaxDegree = 255;
constexpr int kThreads = 256;
constexpr int kQuads = 2;  // of points per thread
constexpr int kStep = kThreads * kQuads;

struct Points {
  float4 quad[kQuads];
};

__device__ Points load(const float4 *__restrict__ x, int first, int quads) {
  Points points;
#pragma unroll
  for (int j = 0; j < kQuads; ++j) {
    const int i = first + j * kThreads;
    points.quad[j] = i < quads ? __ldcs(&x[i]) : float4{};
  }
  return points;
}

__global__ void __launch_bounds__(kThreads)
    evaluate(const float4 *__restrict__ x, float4 *__restrict__ y, const float *__restrict__ coefficients, int degree,
             int quads) {
  __shared__ float shared[kMaxDegree + 1];
  for (int k = threadIdx.x; k <= degree; k += kThreads) shared[k] = coefficients[k];
  __syncthreads();
  const int stride = gridDim.x * kStep;
  int first = blockIdx.x * kStep + threadIdx.x;
  Points points = load(x, first, quads);
  for (; first < quads; first += stride) {
    const Points next = load(x, first + stride, quads);
    float4 sum[kQuads] = {};
#pragma unroll 16
    for (int k = degree; k >= 0; --k) {
      const float c = shared[k];
#pragma unroll
      for (int j = 0; j < kQuads; ++j) {
        const float4 point = points.quad[j];
        sum[j].x = fmaf(sum[j].x, point.x, c);
        sum[j].y = fmaf(sum[j].y, point.y, c);
        sum[j].z = fmaf(sum[j].z, point.z, c);
        sum[j].w = fmaf(sum[j].w, point.w, c);
      }
    }
#pragma unroll
    for (int j = 0; j < kQuads; ++j) {
      const int i = first + j * kThreads;
      if (i < quads) __stcs(&y[i], sum[j]);
    }
    points = next;
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *x = *(const float4 **)arguments[0];
  float4 *y = *(float4 **)arguments[1];
  const float *coefficients = *(const float **)arguments[2];
  const int degree = *(int *)arguments[3], quads = *(int *)arguments[4] / 4;
  if (degree > kMaxDegree) {
    std::fprintf(stderr, "written for degrees up to %d\n", kMaxDegree);
    return;
  }
  evaluate<<<132 * 4, kThreads, 0, stream>>>(x, y, coefficients, degree, quads);
}
