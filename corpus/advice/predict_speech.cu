// Linear prediction of speech, as in telephone codecs: Levinson and Durbin's recursion turns the
// autocorrelations of a frame of sound into the coefficients of the filter that predicts it best.
// One thread per frame; the values of all frames at one lag are next to each other.

constexpr int kMost = 16;

// `order` is at most kMost. `damping` widens the resonances a little.
__global__ void __launch_bounds__(128)
    predict_speech(const float* __restrict__ correlations, float* __restrict__ filters,
                   float* __restrict__ errors, int frames, int order, float damping) {
  int frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame >= frames) return;

  float lags[kMost], filter[kMost];
  float error = 20.0f + correlations[frame];
  for (int k = 0; k < order; ++k) lags[k] = correlations[(k + 1) * frames + frame] - 0.5f;

  for (int i = 0; i < order; ++i) {
    float sum = lags[i];
    for (int j = 0; j < i; ++j) sum -= filter[j] * lags[i - 1 - j];
    float reflection = __fdividef(sum, error);
    for (int j = 0; j < i / 2; ++j) {
      float near = filter[j], far = filter[i - 1 - j];
      filter[j] = near - reflection * far;
      filter[i - 1 - j] = far - reflection * near;
    }
    if (i % 2 == 1) filter[i / 2] *= 1.0f - reflection;
    filter[i] = reflection;
    error *= 1.0f - reflection * reflection;
  }

  float factor = damping;
  for (int k = 0; k < order; ++k) {
    filters[k * frames + frame] = filter[k] * factor;
    factor *= damping;
  }
  errors[frame] = error;
}
