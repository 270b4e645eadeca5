// What the pairs of antennas of a radio telescope should see of a model of the sky: for each
// baseline the sum over the model's sources, each of which is a Gaussian of some width.

struct Source {
  float l, m;    // where it stands, as direction cosines
  float flux;    // how bright it is
  float extent;  // how wide it is, squared
};

__device__ __forceinline__ float attenuation(float delay, float bandwidth) {
  float smear = bandwidth * delay;
  return 1.0f / (1.0f + smear * smear);
}

__global__ void predict_visibilities(const float2* __restrict__ baselines,
                                     const Source* __restrict__ sources,
                                     float2* __restrict__ visibilities, float* __restrict__ powers,
                                     int count, int source_count, float bandwidth) {
  constexpr float kTurn = 6.2831853f;
  int baseline = blockIdx.x * blockDim.x + threadIdx.x;
  if (baseline >= count) return;
  float2 uv = baselines[baseline];
  float squared = uv.x * uv.x + uv.y * uv.y;

  float real = 0, imaginary = 0, power = 0;
  for (int k = 0; k < source_count; ++k) {
    Source source = sources[k];
    float delay = uv.x * source.l + uv.y * source.m;
    float seen = source.flux * expf(-source.extent * squared) * attenuation(delay, bandwidth);
    float sine, cosine;
    sincosf(0.2f * kTurn * delay, &sine, &cosine);
    real += seen * cosine;
    imaginary += seen * sine;
    power += seen * seen;
  }
  visibilities[baseline] = make_float2(real, imaginary);
  powers[baseline] = sqrtf(power);
}
