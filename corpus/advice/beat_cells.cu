// Heart muscle cells, one per thread: membrane potential, gates and calcium of a simplified
// ventricular model, integrated by exponential steps (Rush and Larsen). Cells differ in their
// stimulus and in their outside potassium.

struct Cell {
  float v = -84.0f;                        // mV
  float m = 0.002f, h = 0.98f, j = 0.98f;  // sodium
  float d = 0.003f, f = 0.99f;             // calcium
  float x = 0.006f;                        // potassium
  float calcium = 2e-4f;                   // mmol/l
};

// A gate that opens with rate a and closes with rate b, a step later.
__device__ __forceinline__ float relaxed(float gate, float a, float b, float step) {
  float total = a + b, limit = a / total;
  return limit + (gate - limit) * expf(-step * total);
}

__device__ __forceinline__ float sodium_current(Cell& c, float step) {
  float shifted = c.v + 47.13f;
  float a = fabsf(shifted) < 1e-3f ? 3.2f : 0.32f * shifted / (1.0f - expf(-0.1f * shifted));
  float b = 0.08f * expf(c.v / -11.0f);
  c.m = relaxed(c.m, a, b, step);
  a = 0.135f * expf((80.0f + c.v) / -6.8f);
  b = 3.56f * expf(0.079f * c.v) + 3.1e5f * expf(0.35f * c.v);
  c.h = relaxed(c.h, a, b, step);
  c.j = relaxed(c.j, 0.5f * a, 0.25f * b, step);
  return 23.0f * powf(c.m, 3.0f) * c.h * c.j * (c.v - 54.4f);
}

__device__ __forceinline__ float calcium_current(Cell& c, float step) {
  float a = 0.095f * expf(-0.01f * (c.v - 5.0f)) / (1.0f + expf(-0.072f * (c.v - 5.0f)));
  float b = 0.07f * expf(-0.017f * (c.v + 44.0f)) / (1.0f + expf(0.05f * (c.v + 44.0f)));
  c.d = relaxed(c.d, a, b, step);
  a = 0.012f * expf(-0.008f * (c.v + 28.0f)) / (1.0f + expf(0.15f * (c.v + 28.0f)));
  b = 0.0065f * expf(-0.02f * (c.v + 30.0f)) / (1.0f + expf(-0.2f * (c.v + 30.0f)));
  c.f = relaxed(c.f, a, b, step);
  float reversal = 7.7f - 13.0287f * logf(c.calcium);
  float current = 0.09f * c.d * c.f * (c.v - reversal);
  c.calcium += step * (-1e-4f * current + 0.07f * (1e-4f - c.calcium));
  return current;
}

__device__ __forceinline__ float potassium_current(Cell& c, float outside, float step) {
  float a = 0.0005f * expf(0.083f * (c.v + 50.0f)) / (1.0f + expf(0.057f * (c.v + 50.0f)));
  float b = 0.0013f * expf(-0.06f * (c.v + 20.0f)) / (1.0f + expf(-0.04f * (c.v + 20.0f)));
  c.x = relaxed(c.x, a, b, step);
  float reversal = 26.7f * logf(outside / 145.0f);
  float resting = 0.6f * sqrtf(outside / 5.4f) / (1.0f + expf(0.07f * (c.v - reversal - 15.0f)));
  return (0.282f * c.x + resting) * (c.v - reversal);
}

__global__ void __launch_bounds__(128)
    beat_cells(const float* __restrict__ stimuli, const float* __restrict__ potassium,
               float* __restrict__ voltages, float* __restrict__ calcium, int cells, int steps,
               float step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  Cell cell;
  float stimulus = 20.0f + 20.0f * stimuli[i], outside = 4.0f + 3.0f * potassium[i];
  for (int k = 0; k < steps; ++k) {
    float current = sodium_current(cell, step) + calcium_current(cell, step) +
                    potassium_current(cell, outside, step);
    cell.v -= step * (current - stimulus);
  }
  voltages[i] = cell.v + 200.0f;
  calcium[i] = cell.calcium;
}
