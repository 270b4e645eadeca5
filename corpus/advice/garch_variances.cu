// The conditional variance of many shares day by day, by GARCH(1,1) with leverage, and the sum of their
// log-likelihoods: a thread per share, whose returns of a day lie next to those of the other shares.

struct Garch {
  float constant;
  float shock;
  float leverage;
  float memory;
};

__device__ __forceinline__ float advance(const Garch& model, float variance, float change) {
  float square = change * change;
  float weight = change < 0 ? model.shock + model.leverage : model.shock;
  return model.constant + weight * square + model.memory * variance;
}

__global__ void garch_variances(float* returns, float* variances, float* likelihoods, int shares,
                                int days, float mean, Garch model) {
  int share = blockIdx.x * blockDim.x + threadIdx.x;
  if (share >= shares) return;
  float variance = model.constant / (1.0f - model.memory);
  float likelihood = 0;
  const float* in = returns + share;
  float* out = variances + share;

  for (int day = 0; day < days; ++day) {
    float change = *in - mean;
    likelihood -= 0.5f * (__logf(variance) + __fdividef(change * change, variance));
    variance = advance(model, variance, change);
    *out = variance;
    in += shares;
    out += shares;
  }
  likelihoods[share] = likelihood;
}
