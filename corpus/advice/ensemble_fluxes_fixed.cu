// The turbulent heat flux over the sea, as an ensemble of 24 small neural networks predicts it from
// 12 measured quantities; the spread of the predictions tells how sure they are. The trained
// weights are part of the program. Each thread treats one sample after the other.

constexpr int kMembers = 24, kInputs = 12, kHidden = 16;

// Stands for the tables that the training program writes.
__host__ __device__ constexpr float weight(unsigned member, unsigned layer, unsigned to,
                                           unsigned from) {
  unsigned word = (((member * 4u + layer) * 32u + to) * 32u + from + 1u) * 2654435761u;
  word ^= word >> 16;
  word *= 2246822519u;
  word ^= word >> 13;
  return (static_cast<float>(word % 8191u) - 4095.0f) * 8e-5f;
}

// One layer: sums of the weighted inputs, cut off below zero.
template <int member, int layer, int to_count, int from_count>
__device__ __forceinline__ void layer_of(const float (&from)[from_count], float (&to)[to_count]) {
#pragma unroll
  for (int i = 0; i < to_count; ++i) {
    float sum = weight(member, layer, i, from_count);
#pragma unroll
    for (int j = 0; j < from_count; ++j) sum = fmaf(weight(member, layer, i, j), from[j], sum);
    to[i] = fmaxf(sum, 0.0f);
  }
}

template <int member>
__device__ __forceinline__ float network(const float (&inputs)[kInputs]) {
  float first[kHidden], second[kHidden];
  layer_of<member, 0>(inputs, first);
  layer_of<member, 1>(first, second);
  float flux = weight(member, 2, 0, kHidden);
#pragma unroll
  for (int j = 0; j < kHidden; ++j) flux = fmaf(weight(member, 2, 0, j), second[j], flux);
  return flux;
}

template <int member, int last>
__device__ __forceinline__ void predict(const float (&inputs)[kInputs], float* __restrict__ fluxes,
                                        int samples) {
  if constexpr (member < last) {
    fluxes[static_cast<size_t>(member) * samples] = network<member>(inputs);
    predict<member + 1, last>(inputs, fluxes, samples);
  }
}

// All samples of a thread, with some of the members.
template <int first, int last>
__device__ __forceinline__ void members_of(const float* __restrict__ measured,
                                           float* __restrict__ fluxes, int samples) {
  for (int sample = blockIdx.x * 128 + threadIdx.x; sample < samples; sample += gridDim.x * 128) {
    float inputs[kInputs];
#pragma unroll
    for (int j = 0; j < kInputs; ++j) inputs[j] = measured[j * samples + sample];
    predict<first, last>(inputs, fluxes + sample, samples);
  }
}

__global__ void __launch_bounds__(128)
    ensemble_fluxes(const float* __restrict__ measured, float* __restrict__ fluxes, int samples) {
  members_of<0, 6>(measured, fluxes, samples);
  members_of<6, 12>(measured, fluxes, samples);
  members_of<12, 18>(measured, fluxes, samples);
  members_of<18, kMembers>(measured, fluxes, samples);
}
