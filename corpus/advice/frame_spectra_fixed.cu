// Power spectra of frames of 256 samples in 128 bands of any spacing: waves[n][band] holds the
// cosine and the sine that band has at sample n. A block takes four frames.

constexpr int kSamples = 256, kBands = 128, kFrames = 4;

__global__ void frame_spectra(const float* __restrict__ signal, const float2* __restrict__ waves,
                              const float* __restrict__ window, float* __restrict__ powers,
                              int frames, int hop) {
  __shared__ float samples[kSamples][kFrames];
  int band = threadIdx.x;
  int first = blockIdx.x * kFrames;
  int thread = threadIdx.y * kBands + threadIdx.x;
  for (int k = thread; k < kSamples * kFrames; k += kBands * blockDim.y) {
    int n = k % kSamples;
    int number = k / kSamples;
    float sample = first + number < frames ? signal[(first + number) * hop + n] : 0.0f;
    samples[n][number] = sample * window[n];
  }
  __syncthreads();

  float real[kFrames] = {}, imaginary[kFrames] = {};
#pragma unroll 8
  for (int n = 0; n < kSamples; ++n) {
    float2 wave = waves[n * kBands + band];
#pragma unroll
    for (int frame = 0; frame < kFrames; ++frame) {
      float sample = samples[n][frame];
      real[frame] += sample * wave.x;
      imaginary[frame] += sample * wave.y;
    }
  }

#pragma unroll
  for (int frame = 0; frame < kFrames; ++frame) {
    float power = real[frame] * real[frame] + imaginary[frame] * imaginary[frame];
    float scale = 1.0f / static_cast<float>(kSamples);
    float level = __log2f(fmaxf(power * scale, 1e-10f));
    if (first + frame < frames) {
      powers[(first + frame) * kBands + band] = level;
    }
  }
}
