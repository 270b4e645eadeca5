// Lengths of the muscles of a human figure in an animation, for many postures: each muscle's length
// is a quadratic polynomial of the eight joint angles of its limb, with fitted coefficients that
// are part of the program. A thread makes one posture after the other.

constexpr int kJoints = 8, kMuscles = 240;
constexpr int kTerms = kJoints + kJoints * (kJoints + 1) / 2;

// Stands for the tables that a fitting program writes.
__host__ __device__ constexpr float coefficient(unsigned muscle, unsigned term) {
  unsigned word = (muscle * 64u + term + 1u) * 2654435761u;
  word ^= word >> 15;
  word *= 2246822519u;
  word ^= word >> 13;
  return static_cast<float>(word % 4001u) * 1e-4f - 0.2f;
}

struct Features {
  float values[kTerms];

  // The angles and their products.
  __device__ __forceinline__ Features(const float* __restrict__ angles, int posture, int postures) {
#pragma unroll
    for (int j = 0; j < kJoints; ++j) values[j] = angles[j * postures + posture];
    int place = kJoints;
#pragma unroll
    for (int i = 0; i < kJoints; ++i) {
#pragma unroll
      for (int j = i; j < kJoints; ++j) values[place++] = values[i] * values[j];
    }
  }
};

template <int muscle>
__device__ __forceinline__ float polynomial(const Features& features) {
  float sum = 1.0f + coefficient(muscle, kTerms);
#pragma unroll
  for (int k = 0; k < kTerms; ++k) sum = fmaf(coefficient(muscle, k), features.values[k], sum);
  return sum;
}

template <int first, int last>
__device__ __forceinline__ void lengths_of(const Features& features, float* __restrict__ lengths,
                                           int postures) {
  if constexpr (last - first == 1) {
    lengths[static_cast<size_t>(first) * postures] = polynomial<first>(features);
  } else {
    constexpr int middle = (first + last) / 2;
    lengths_of<first, middle>(features, lengths, postures);
    lengths_of<middle, last>(features, lengths, postures);
  }
}

__global__ void __launch_bounds__(128)
    muscle_lengths(const float* __restrict__ angles, float* __restrict__ lengths, int postures) {
  int thread = blockIdx.x * 128 + threadIdx.x, step = gridDim.x * 128;
  for (int posture = thread; posture < postures; posture += step) {
    Features features(angles, posture, postures);
    lengths_of<0, kMuscles>(features, lengths + posture, postures);
  }
}
