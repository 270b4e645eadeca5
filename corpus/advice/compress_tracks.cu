// A compressor for audio of many tracks, each of which stands by itself in memory: samples above a
// threshold are turned down, by a gain that is smoothed over the samples before.

__device__ float gain_for(float level, float threshold, float ratio) {
  float over = fmaxf(level / threshold, 1.0f);
  return __powf(over, 1.0f / ratio - 1.0f);
}

__global__ void compress_tracks(const float* __restrict__ samples, const float* __restrict__ levels,
                                float* __restrict__ compressed, int tracks, int length,
                                float threshold, float ratio) {
  constexpr int kBefore = 4;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < tracks * length; i += stride) {
    int track = i % tracks;
    int time = i / tracks;
    size_t place = static_cast<size_t>(track) * length + time;
    float sample = 2.0f * samples[place] - 1.0f;

    float level = 0;
    float weight = 1.0f;
    float total = 0;
#pragma unroll
    for (int back = 0; back < kBefore; ++back) {
      if (time >= back) {
        level += weight * levels[place - back];
        total += weight;
      }
      weight *= 0.5f;
    }
    float gain = gain_for(level / total, threshold, ratio);
    float out = fminf(fmaxf(gain * sample, -1.0f), 1.0f);
    compressed[place] = out;
  }
}
