// The conditional variance of many shares day by day, by GARCH(1,1) with leverage, and the sum of their
// log-likelihoods: a thread per share, whose returns of a day lie next to those of the other shares.

constexpr int kBatch = 4;

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

  int day = 0;
  for (; day + kBatch <= days; day += kBatch) {
    float next[kBatch];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) next[k] = in[k * shares];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      float change = next[k] - mean;
      likelihood -= 0.5f * (__logf(variance) + __fdividef(change * change, variance));
      variance = advance(model, variance, change);
      out[k * shares] = variance;
    }
    in += kBatch * shares;
    out += kBatch * shares;
  }
  for (; day < days; ++day) {
    float change = *in - mean;
    likelihood -= 0.5f * (__logf(variance) + __fdividef(change * change, variance));
    variance = advance(model, variance, change);
    *out = variance;
    in += shares;
    out += shares;
  }
  likelihoods[share] = likelihood;
}
