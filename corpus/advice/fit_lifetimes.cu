// Reliability of wind turbines: for many pairs of shape and scale of a log-logistic distribution,
// the logarithm of the likelihood of what was observed. A bearing has failed after some time, or
// it still ran when it was last seen. Each thread has a pair; a row of blocks has one shape.

struct Bearing {
  float time;   // years
  float state;  // below 0.6 if it still ran
};

struct Ranges {
  float least_shape, shape_step, least_scale, scale_step;
};

// Of one observation, up to what all failures have in common.
__device__ __forceinline__ float log_likelihood(const Bearing& bearing, bool failed, float shape,
                                                float inverse_scale) {
  float age = logf((bearing.time + 0.05f) * inverse_scale);
  float lost = logf(1.0f + expf(shape * age));
  return failed ? (shape - 1.0f) * age - 2.0f * lost : -lost;
}

__global__ void __launch_bounds__(256)
    fit_lifetimes(const Bearing* __restrict__ bearings, float* __restrict__ likelihoods, int count,
                  int scales, Ranges ranges) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= scales) return;
  float shape = ranges.least_shape + row * ranges.shape_step;
  float scale = ranges.least_scale + column * ranges.scale_step;
  float inverse_scale = 1.0f / scale, sum = 0.0f;
  int failures = 0;
  for (int k = 0; k < count; ++k) {
    Bearing bearing = bearings[k];
    bool failed = bearing.state >= 0.6f;
    sum += log_likelihood(bearing, failed, shape, inverse_scale);
    failures += failed;
  }
  likelihoods[row * scales + column] = sum + failures * __logf(shape * inverse_scale);
}
