// A model of the inner ear: sound from many microphones is filtered into 96 bands, each with a short
// impulse response of its own, and the energy of each band is written for every frame.

#include <utility>

constexpr int kBands = 96;
constexpr int kTaps = 96;

// A sine of so many turns, nearly: two parabolas.
__host__ __device__ constexpr float wave(float turns) {
  float x = turns - static_cast<float>(static_cast<int>(turns));
  return x < 0.5f ? 16.0f * x * (0.5f - x) : -16.0f * (x - 0.5f) * (1.0f - x);
}

// The impulse response of a band: a tone that swells and fades.
__host__ __device__ constexpr float response(int band, int tap) {
  float t = (static_cast<float>(tap) + 0.5f) / static_cast<float>(kTaps);
  float rest = 1.0f - t;
  float swell = 12.0f * t * t * rest * rest * rest;
  return swell * wave(1.37f + t * (1.5f + 0.41f * static_cast<float>(band)));
}

template <int band, int tap>
constexpr float kResponse = response(band, tap);

template <int first, int tap, int... bands>
__device__ __forceinline__ void add_tap(float* sums, float sample,
                                        std::integer_sequence<int, bands...>) {
  ((sums[bands] = fmaf(kResponse<first + bands, tap>, sample, sums[bands])), ...);
}

template <int first, int count, int... taps>
__device__ __forceinline__ void filter(const float* __restrict__ sound, float* __restrict__ energy,
                                       int channels, std::integer_sequence<int, taps...>) {
  float sums[count] = {};
  (add_tap<first, taps>(sums, sound[taps * channels], std::make_integer_sequence<int, count>()),
   ...);
#pragma unroll
  for (int band = 0; band < count; ++band) {
    energy[(first + band) * channels] = sums[band] * sums[band];
  }
}

__global__ void cochlea_bands(const float* __restrict__ sound, float* __restrict__ energies,
                              int channels, int frames, int hop) {
  int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  for (int frame = 0; frame < frames; ++frame) {
    const float* start = sound + frame * hop * channels + channel;
    float* energy = energies + frame * kBands * channels + channel;
    filter<0, kBands>(start, energy, channels, std::make_integer_sequence<int, kTaps>());
  }
}
