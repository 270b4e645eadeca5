// How far each pixel of the left picture has moved in the right one: the shift at which windows of
// up to 9×9 differ least, to a fraction of a pixel.

constexpr int kReach = 4, kShifts = 16;
constexpr int kWide = 32, kHigh = 8;

__global__ void __launch_bounds__(kWide* kHigh)
    stereo_disparity(const float* __restrict__ left, const float* __restrict__ right,
                     float* __restrict__ disparity, int width, int height, int reach) {
  int x = blockIdx.x * kWide + threadIdx.x + kReach + kShifts;
  int y = blockIdx.y * kHigh + threadIdx.y + kReach;
  if (x + kReach >= width || y + kReach >= height) return;
  float best = 1e30f, before = 1e30f, after = 1e30f, last = 1e30f;
  int winner = 0;

#pragma unroll 1
  for (int shift = 0; shift < kShifts; ++shift) {
    float cost = 0;
    for (int dy = -reach; dy <= reach; ++dy) {
      for (int dx = -reach; dx <= reach; ++dx) {
        float here = left[(y + dy) * width + x + dx];
        float there = right[(y + dy) * width + x + dx - shift];
        cost += fabsf(here - there);
      }
    }
    if (cost < best) {
      best = cost;
      winner = shift;
      before = last;
      after = 1e30f;
    } else if (shift == winner + 1) {
      after = cost;
    }
    last = cost;
  }

  float fraction = 0;
  if (before < 1e30f && after < 1e30f) {
    float bend = before - 2.0f * best + after;
    if (bend > 0) fraction = 0.5f * (before - after) / bend;
  }
  disparity[y * width + x] = static_cast<float>(winner) + fraction;
}
