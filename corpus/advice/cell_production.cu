// The production of blood cells after Mackey and Glass, for many patients: how many cells the marrow
// releases depends on how many there were a while ago. Written are each patient's mean, and by how much
// the number of cells swings.

constexpr int kDelay = 32;  // in steps

struct Marrow {
  float production;
  float decay;
  float step;
};

__device__ __forceinline__ float released(float past) {
  float square = past * past;
  float fourth = square * square;
  return __fdividef(past, 1.0f + fourth * fourth * square);
}

__global__ void cell_production(const float* __restrict__ strengths, float* __restrict__ means,
                                float* __restrict__ swings, int patients, int delays, Marrow marrow) {
  int patient = blockIdx.x * blockDim.x + threadIdx.x;
  if (patient >= patients) return;
  const float production = marrow.production * (0.5f + strengths[patient]);
  float history[kDelay];
#pragma unroll
  for (int k = 0; k < kDelay; ++k) history[k] = 0.9f + 0.01f * static_cast<float>(k);
  float cells = 1.0f, sum = 0, least = 1e9f, most = 0;

  for (int t = 0; t < delays * kDelay; ++t) {
    float gain = production * released(history[t % kDelay]);
    float slope = gain - marrow.decay * cells;
    float guess = cells + marrow.step * slope;
    history[t % kDelay] = cells;
    cells += 0.5f * marrow.step * (slope + gain - marrow.decay * guess);
    sum += cells;
    least = fminf(least, cells);
    most = fmaxf(most, cells);
  }
  means[patient] = sum / static_cast<float>(delays * kDelay);
  swings[patient] = most - least;
}
