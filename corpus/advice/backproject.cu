// A picture from the projections of a scanner: every pixel gathers, from each angle, what its ray
// has left on the detectors.

__global__ void backproject(const float* __restrict__ sinogram, const float2* __restrict__ turns,
                            float* __restrict__ picture, int size, int detectors, int angles) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size) return;
  float middle = 0.5f * static_cast<float>(size);
  float dx = static_cast<float>(x) - middle;
  float dy = static_cast<float>(y) - middle;
  float centre = 0.5f * static_cast<float>(detectors);
  float stretch = 0.35f * static_cast<float>(detectors) / middle;
  float sum = 0;
  float weight = 0;

  // Not unrolled: it keeps the registers down.
#pragma unroll 1
  for (int angle = 0; angle < angles; ++angle) {
    float2 turn = turns[angle];
    float place = centre + stretch * (dx * (turn.x - 0.5f) + dy * (turn.y - 0.5f));
    int detector = static_cast<int>(place);
    float part = place - static_cast<float>(detector);
    const float* row = sinogram + angle * detectors;
    float value = row[detector] + part * (row[detector + 1] - row[detector]);
    sum += value;
    weight += value * value;
  }

  float mean = sum / static_cast<float>(angles);
  float spread = weight / static_cast<float>(angles) - mean * mean;
  picture[y * size + x] = mean / (1.0f + fmaxf(spread, 0.0f));
}
