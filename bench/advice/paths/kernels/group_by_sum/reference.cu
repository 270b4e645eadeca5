// Hand-written: each block has eight private copies of the 1000 sums and counts in shared memory, one for each two
// warps; int4 and float4 loads, two of each in flight. At the end the copies are added up, one global atomic per key.
#include <cuda_runtime.h>

namespace {
constexpr int kKeys = 1000, kStride = 1001, kCopies = 8, kThreads = 512;
constexpr int kShared = kCopies * kStride * 8;

__global__ void __launch_bounds__(kThreads)
    group(const int4 *__restrict__ keys, const float4 *__restrict__ values, float *__restrict__ sums,
          int *__restrict__ counts, int quads) {
  extern __shared__ float shared[];
  float *const all_sums = shared;
  int *const all_counts = reinterpret_cast<int *>(shared + kCopies * kStride);
  for (int i = threadIdx.x; i < kCopies * kStride; i += kThreads) {
    all_sums[i] = 0;
    all_counts[i] = 0;
  }
  __syncthreads();
  const int copy = threadIdx.x / 32 % kCopies;
  float *const my_sums = all_sums + copy * kStride;
  int *const my_counts = all_counts + copy * kStride;
  const auto add = [&](int4 key, float4 value) {
    atomicAdd(&my_sums[key.x], value.x);
    atomicAdd(&my_counts[key.x], 1);
    atomicAdd(&my_sums[key.y], value.y);
    atomicAdd(&my_counts[key.y], 1);
    atomicAdd(&my_sums[key.z], value.z);
    atomicAdd(&my_counts[key.z], 1);
    atomicAdd(&my_sums[key.w], value.w);
    atomicAdd(&my_counts[key.w], 1);
  };
  const int stride = gridDim.x * kThreads;
  int i = blockIdx.x * kThreads + threadIdx.x;
  for (; i + stride < quads; i += 2 * stride) {
    const int4 k0 = __ldcs(&keys[i]), k1 = __ldcs(&keys[i + stride]);
    const float4 v0 = __ldcs(&values[i]), v1 = __ldcs(&values[i + stride]);
    add(k0, v0);
    add(k1, v1);
  }
  if (i < quads) add(__ldcs(&keys[i]), __ldcs(&values[i]));
  __syncthreads();
  for (int key = threadIdx.x; key < kKeys; key += kThreads) {
    float sum = 0;
    int count = 0;
    for (int c = 0; c < kCopies; ++c) {
      sum += all_sums[c * kStride + key];
      count += all_counts[c * kStride + key];
    }
    if (count == 0) continue;
    atomicAdd(&sums[key], sum);
    atomicAdd(&counts[key], count);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const int4 *keys = *(const int4 **)arguments[0];
  const float4 *values = *(const float4 **)arguments[1];
  float *sums = *(float **)arguments[2];
  int *counts = *(int **)arguments[3];
  const int n = *(int *)arguments[4];  // a multiple of 4, with keys below 1000
  static const cudaError_t once = cudaFuncSetAttribute(group, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  (void)once;
  group<<<132 * 3, kThreads, kShared, stream>>>(keys, values, sums, counts, n / 4);
}
