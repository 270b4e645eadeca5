// Automatic trains that keep their distance by fuzzy control, for many settings at once: in each
// step the gap to the train in front and the difference in speed are judged (near, right, far;
// slower, same, faster), rules weigh what to do, and their mean is the acceleration.

struct Train {
  float gap, closing;  // how far away the train in front is, and how fast it comes nearer
};

// How well a value fits a notion, from zero to one: it begins at the left and ends at the right.
__device__ __forceinline__ float fit(float value, float left, float right, float left_slope,
                                     float right_slope) {
  float rising = (value - left) * left_slope, falling = (right - value) * right_slope;
  return fmaxf(0.0f, fminf(1.0f, fminf(rising, falling)));
}

__device__ __forceinline__ float decided(const Train& train, float width) {
  float slope = 2.0f * width;
  float near = fit(train.gap, -9.0f, 0.8f, 1.0f, slope);
  float right = fit(train.gap, 0.4f, 1.6f, slope, slope);
  float far = fit(train.gap, 1.2f, 99.0f, slope, 1.0f);
  float faster = fit(train.closing, 0.1f, 99.0f, slope, 1.0f);
  float same = fit(train.closing, -0.5f, 0.5f, slope, slope);
  float slower = fit(train.closing, -99.0f, -0.1f, 1.0f, slope);

  float brake = fmaxf(near, fminf(right, faster));
  float hold = fminf(right, same);
  float go = fmaxf(fminf(far, same), slower * far);
  return __fdividef(go - brake, go + brake + hold + 0.01f);
}

__global__ void __launch_bounds__(256)
    fuzzy_brakes(const float2* __restrict__ starts, const float* __restrict__ widths,
                 float2* __restrict__ ends, float* __restrict__ nearest, int count, int steps,
                 float interval) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Train train{0.5f + starts[i].x, starts[i].y - 0.5f};
  float width = 0.5f + widths[i], least = train.gap;
  for (int step = 0; step < steps; ++step) {
    train.closing += interval * decided(train, width);
    train.gap -= interval * train.closing;
    least = fminf(least, train.gap);
  }
  ends[i] = {train.gap, train.closing};
  nearest[i] = least;
}
