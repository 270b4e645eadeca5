// Scores of applicants by a forest of boosted trees, whose tests are compiled in: all nodes of a
// level make the same test, so a tree is five tests and a table of 32 leaves, which are given.

constexpr int kFeatures = 16, kDepth = 5, kLeaves = 1 << kDepth, kTrees = 384;

// Which feature a level of a tree tests, and against what: known to the compiler.
__device__ __forceinline__ constexpr int feature_of(int tree, int level) {
  return (tree * 7 + level * 11 + tree / 16 * 5) % kFeatures;
}

__device__ __forceinline__ constexpr float threshold_of(int tree, int level) {
  return static_cast<float>((tree * 577 + level * 1237) % 1009) / 1009.0f;
}

template <int first, int end>
__device__ __forceinline__ float forest(const float (&features)[kFeatures], const float* leaves,
                                        float score) {
#pragma unroll
  for (int tree = first; tree < end; ++tree) {
    int leaf = 0;
#pragma unroll
    for (int level = 0; level < kDepth; ++level) {
      if (features[feature_of(tree, level)] > threshold_of(tree, level)) leaf |= 1 << level;
    }
    score += leaves[tree * kLeaves + leaf];
  }
  return score;
}

__device__ __forceinline__ void load_applicant(const float4* applicants, int applicant, int count,
                                               float (&features)[kFeatures]) {
#pragma unroll
  for (int k = 0; k < kFeatures / 4; ++k) {
    float4 part = applicants[static_cast<size_t>(k) * count + applicant];
    features[4 * k] = part.x, features[4 * k + 1] = part.y;
    features[4 * k + 2] = part.z, features[4 * k + 3] = part.w;
  }
}

__global__ void __launch_bounds__(128)
    score_applicants(const float4* __restrict__ applicants, const float* __restrict__ leaves,
                     float* __restrict__ scores, int count, float base) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  float features[kFeatures];
  for (int applicant = thread; applicant < count; applicant += stride) {
    load_applicant(applicants, applicant, count, features);
    scores[applicant] = forest<0, kTrees>(features, leaves, base);
  }
}
