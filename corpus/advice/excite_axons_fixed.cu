// Spikes that run along nerve cells, one a block, each cut into compartments: the axon's have the
// channels of Hodgkin and Huxley, the dendrite's behind it only leak. Neighbours exchange current,
// so all wait for each other after every step.

constexpr int kThreads = 256, kEach = 4, kCompartments = kThreads * kEach;
constexpr int kAxon = 256;  // compartments of the axon, the first ones

struct Gates {
  float m = 0.05f, h = 0.6f, n = 0.32f;
};

struct Cable {
  float step, coupling, leak;
};

__device__ __forceinline__ float ratio(float x) {
  return x / (1.0f - __expf(-x));
}

// The current through the channels, and the gates a step later; v is in millivolts above rest.
__device__ __forceinline__ float channels(Gates& gates, float v, float step) {
  float open_m = ratio(0.1f * (v - 25.01f)), shut_m = 4.0f * __expf(v * (-1.0f / 18.0f));
  float open_h = 0.07f * __expf(-0.05f * v), shut_h = 1.0f / (1.0f + __expf(3.0f - 0.1f * v));
  float open_n = 0.1f * ratio(0.1f * (v - 10.01f)), shut_n = 0.125f * __expf(-0.0125f * v);
  gates.m += step * (open_m * (1.0f - gates.m) - shut_m * gates.m);
  gates.h += step * (open_h * (1.0f - gates.h) - shut_h * gates.h);
  gates.n += step * (open_n * (1.0f - gates.n) - shut_n * gates.n);
  float squared = gates.n * gates.n;
  float sodium = 120.0f * gates.m * gates.m * gates.m * gates.h;
  return sodium * (115.0f - v) + 36.0f * squared * squared * (-12.0f - v);
}

__global__ void __launch_bounds__(kThreads)
    excite_axons(const float* __restrict__ stimuli, float* __restrict__ voltages, Cable cable,
                 int steps) {
  __shared__ float volts[2][kCompartments + 2];  // with a place before and behind
  Gates gates[kEach];
  for (int k = threadIdx.x; k < kCompartments + 2; k += kThreads) volts[0][k] = volts[1][k] = 0;
  float stimulus = 40.0f * stimuli[blockIdx.x];
  __syncthreads();

  for (int step = 0; step < steps; ++step) {
    const float* now = volts[step % 2];
    float* next = volts[(step + 1) % 2];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      int place = k * kThreads + threadIdx.x;
      float v = now[place + 1];
      float current = cable.coupling * (now[place] - 2.0f * v + now[place + 2]) - cable.leak * v;
      if (place < kAxon) current += channels(gates[k], v, cable.step);
      if (place == 0) current += stimulus;
      next[place + 1] = v + cable.step * current;
    }
    __syncthreads();
  }
  for (int k = threadIdx.x; k < kCompartments; k += kThreads) {
    voltages[blockIdx.x * kCompartments + k] = volts[steps % 2][k + 1];
  }
}
