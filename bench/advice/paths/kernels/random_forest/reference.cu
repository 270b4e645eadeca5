// Hand-written: a block takes 512 samples, whose features lie in shared memory by feature (whatever features the lanes
// ask for, there are no bank conflicts), and eight trees at a time, whose nodes are packed into 8 bytes. A thread walks
// down four trees at once to hide latency.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 512, kFeatures = 32, kDepth = 8, kInner = 255, kLeaves = 256;
constexpr int kTrees = 8, kAtOnce = 4;

struct Shared {
  float value[kFeatures][kThreads];
  float2 node[kTrees * kInner];  // threshold; first element of the feature in `value`
  float leaf[kTrees * kLeaves];
};

__global__ void __launch_bounds__(kThreads, 2)
    predict(const float4 *__restrict__ samples, const int *__restrict__ feature, const float *__restrict__ threshold,
            const float *__restrict__ leaves, float *__restrict__ prediction, int num_samples, int num_trees) {
  extern __shared__ __align__(16) char memory[];
  Shared &shared = *reinterpret_cast<Shared *>(memory);
  const int sample = blockIdx.x * kThreads + threadIdx.x;
  if (sample < num_samples) {
#pragma unroll
    for (int i = 0; i < kFeatures / 4; ++i) {
      const float4 quad = samples[(size_t)sample * (kFeatures / 4) + i];
      shared.value[4 * i][threadIdx.x] = quad.x;
      shared.value[4 * i + 1][threadIdx.x] = quad.y;
      shared.value[4 * i + 2][threadIdx.x] = quad.z;
      shared.value[4 * i + 3][threadIdx.x] = quad.w;
    }
  }
  const float *mine = &shared.value[0][threadIdx.x];
  float sum = 0;
  for (int first = 0; first < num_trees; first += kTrees) {
    __syncthreads();
    for (int i = threadIdx.x; i < kTrees * kInner; i += kThreads) {
      const int from = first * kInner + i;
      shared.node[i] = make_float2(threshold[from], __int_as_float(feature[from] * kThreads));
    }
    for (int i = threadIdx.x; i < kTrees * kLeaves; i += kThreads) shared.leaf[i] = leaves[first * kLeaves + i];
    __syncthreads();
#pragma unroll
    for (int tree = 0; tree < kTrees; tree += kAtOnce) {
      int at[kAtOnce] = {};
#pragma unroll
      for (int level = 0; level < kDepth; ++level) {
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const float2 node = shared.node[(tree + k) * kInner + at[k]];
          at[k] = 2 * at[k] + (mine[__float_as_int(node.y)] < node.x ? 1 : 2);
        }
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) sum += shared.leaf[(tree + k) * kLeaves + at[k] - kInner];
    }
  }
  if (sample < num_samples) prediction[sample] = sum / num_trees;
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *samples = *(const float4 **)arguments[0];
  const int *feature = *(const int **)arguments[1];
  const float *threshold = *(const float **)arguments[2], *leaves = *(const float **)arguments[3];
  float *prediction = *(float **)arguments[4];
  const int num_samples = *(int *)arguments[5], num_trees = *(int *)arguments[7];  // 32 features, depth 8
  cudaFuncSetAttribute(predict, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  predict<<<(num_samples + kThreads - 1) / kThreads, kThreads, sizeof(Shared), stream>>>(
      samples, feature, threshold, leaves, prediction, num_samples, num_trees);
}
