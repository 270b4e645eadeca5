// A wavetable synthesiser: each thread plays one voice with vibrato. Both the tone and its slow
// vibrato read the same table of one period, between whose entries they interpolate. The samples of
// all voices lie beside each other.

namespace {

constexpr int kTable = 256;
constexpr float kLength = 256.0f;

class Oscillator {
 public:
  __device__ Oscillator(const float* table, float phase) : table_(table), phase_(phase) {}

  // The sample at the present phase; then the phase advances by 0 <= step < kLength.
  __device__ float next(float step) {
    int place = static_cast<int>(phase_);
    float part = phase_ - static_cast<float>(place);
    float left = table_[place], right = table_[(place + 1) & (kTable - 1)];
    phase_ = fmodf(phase_ + step, kLength);
    return left + part * (right - left);
  }

 private:
  const float* table_;
  float phase_;
};

}  // namespace

__global__ void play_wavetables(const float* __restrict__ wave, const float* __restrict__ pitches,
                                const float* __restrict__ sweeps, float* __restrict__ sound,
                                int voices, int samples, float depth) {
  __shared__ float table[kTable];
  for (int i = threadIdx.x; i < kTable; i += blockDim.x) table[i] = wave[i];
  __syncthreads();

  int voice = blockIdx.x * blockDim.x + threadIdx.x;
  if (voice >= voices) return;
  float step = 4.0f + 60.0f * pitches[voice];
  float sweep = 0.1f + 0.4f * sweeps[voice];

  Oscillator tone(table, 0.0f), vibrato(table, sweeps[voice] * 200.0f);
  for (int k = 0; k < samples; ++k) {
    float bend = 1.0f + depth * vibrato.next(sweep);
    sound[static_cast<size_t>(k) * voices + voice] = tone.next(step * bend);
  }
}
