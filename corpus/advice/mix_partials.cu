// Loudness of synthesised sounds: each is a sum of partials that decay at their own rates, sampled
// at a few places of a window. A thread takes one window and returns the mean power in it. The
// partials of a sound are staged in shared memory.

constexpr int kPartials = 64, kSamples = 8;
constexpr float kTurn = 6.2831853f;

struct Partial {
  float frequency, decay, amplitude, phase;
};

struct Clock {
  float window, spacing;  // s
};

// The value of a partial at a time; the phase is kept within a turn.
__device__ __forceinline__ float value_of(const Partial& partial, float time) {
  float turns = partial.frequency * time + partial.phase;
  turns -= floorf(turns);
  return partial.amplitude * expf(-partial.decay * time) * sinf(kTurn * turns);
}

__global__ void __launch_bounds__(128)
    mix_partials(const float4* __restrict__ sounds, float* __restrict__ powers, int windows,
                 Clock clock) {
  __shared__ Partial partials[kPartials];
  for (int k = threadIdx.x; k < kPartials; k += blockDim.x) {
    float4 entry = sounds[blockIdx.y * kPartials + k];
    partials[k] = {200.0f + 4000.0f * entry.x, 1.0f + 3.0f * entry.y, entry.z, entry.w};
  }
  __syncthreads();
  int window = blockIdx.x * blockDim.x + threadIdx.x;
  if (window >= windows) return;
  float start = window * clock.window, power = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    float time = start + sample * clock.spacing, sum = 0;
    for (int k = 0; k < kPartials; ++k) sum += value_of(partials[k], time);
    power += sum * sum;
  }
  powers[static_cast<size_t>(blockIdx.y) * windows + window] = power / kSamples;
}
