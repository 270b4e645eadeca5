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
  float b0[kSections], b1[kSections], b2[kSections], a1[kSections], a2[kSections];
#pragma unroll
  for (int s = 0; s < kSections; ++s) {
    const float* column = coefficients + s * channels + channel;
    b0[s] = column[0];
    b1[s] = column[kSections * channels];
    b2[s] = column[2 * kSections * channels];
    a1[s] = column[3 * kSections * channels];
    a2[s] = column[4 * kSections * channels];
  }
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
      float out = b0[s] * value + newer[s];
      newer[s] = b1[s] * value - 0.5f * a1[s] * out + older[s];
      older[s] = b2[s] * value - 0.25f * a2[s] * out;
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
