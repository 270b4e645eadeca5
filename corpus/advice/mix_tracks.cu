// Mixes the tracks of a recording down to one: 16-bit samples, each track with its own loudness and
// a common fade from one loudness to another; sums that are too loud are bent rather than cut.
#include <cstdint>

constexpr int kTracks = 6;

struct Mix {
  float loudness[kTracks];
  float from, to;  // of the fade
};

// Linear up to half of what fits, then ever flatter.
__device__ __forceinline__ float bent(float sample) {
  float size = fabsf(sample);
  if (size <= 16384.0f) return sample;
  float over = (size - 16384.0f) * (1.0f / 16384.0f);
  return copysignf(16384.0f + 16383.0f * over * __frcp_rn(1.0f + over), sample);
}

__device__ __forceinline__ int16_t mixed(const float (&samples)[kTracks], const Mix& mix,
                                         float fade) {
  float sum = 0;
#pragma unroll
  for (int track = 0; track < kTracks; ++track) sum += samples[track] * mix.loudness[track];
  return static_cast<int16_t>(__float2int_rn(bent(sum * fade)));
}

__global__ void mix_tracks(const int16_t* __restrict__ tracks, int16_t* __restrict__ result,
                           int64_t length, float inverse_length, Mix mix) {
  int64_t place = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= length) return;
  float samples[kTracks];
#pragma unroll
  for (int track = 0; track < kTracks; ++track) samples[track] = tracks[track * length + place];
  float fade = mix.from + (mix.to - mix.from) * (place * inverse_length);
  result[place] = mixed(samples, mix, fade);
}
