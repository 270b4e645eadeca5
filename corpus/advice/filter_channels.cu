// Filters the recordings of a grid of electrodes: each channel passes three second-order sections
// in a row, with coefficients of its own, as the electrodes differ. One thread per channel; the
// samples of all channels at one time are next to each other.

constexpr int kSections = 3;

// Coefficients and state of a section are stored with a row per value and a column per channel.
__global__ void __launch_bounds__(256, 4)
    filter_channels(const short* __restrict__ raw, const float* coefficients, float* memory,
                    float* filtered, int channels, int samples, float volts) {
  int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  const float* b0 = coefficients + channel;
  const float* b1 = b0 + kSections * channels;
  const float* b2 = b1 + kSections * channels;
  const float* a1 = b2 + kSections * channels;
  const float* a2 = a1 + kSections * channels;
  float older[kSections], newer[kSections];
#pragma unroll
  for (int s = 0; s < kSections; ++s) {
    newer[s] = memory[2 * s * channels + channel];
    older[s] = memory[(2 * s + 1) * channels + channel];
  }
  for (int time = 0; time < samples; ++time) {
    float value = volts * raw[time * channels + channel];
#pragma unroll
    for (int s = 0; s < kSections; ++s) {
      int place = s * channels;
      float out = b0[place] * value + newer[s];
      newer[s] = b1[place] * value - 0.5f * a1[place] * out + older[s];
      older[s] = b2[place] * value - 0.25f * a2[place] * out;
      value = out;
    }
    filtered[time * channels + channel] = value;
  }
#pragma unroll
  for (int s = 0; s < kSections; ++s) {
    memory[2 * s * channels + channel] = newer[s];
    memory[(2 * s + 1) * channels + channel] = older[s];
  }
}
