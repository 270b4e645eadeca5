// Temperatures of a satellite's solar panels over an orbit: each panel is a sandwich of twelve thin
// layers that conduct heat; its front takes up sunlight and radiates by Stefan and Boltzmann's law.

namespace orbit {

constexpr int kLayers = 12;
constexpr float kStefan = 5.670374e-8f;

struct Panel {
  float absorptivity, emissivity;
  float conductance;  // between layers, over the heat capacity of one, per step
  float capacity;     // J/(m² K) per layer and step
};

__device__ __forceinline__ float radiated(float kelvin, float emissivity) {
  return emissivity * kStefan * powf(kelvin, 4.0f);
}

}  // namespace orbit

// `sunlight` has the irradiance by step, 0 to 1 of the solar constant; `facing` how much of it
// each panel gets. Front and back temperatures at the end, and the hottest the front has been.
__global__ void __launch_bounds__(256)
    heat_panels(const float* __restrict__ sunlight, const float* __restrict__ facing,
                float* __restrict__ front, float* __restrict__ back, float* __restrict__ hottest,
                int panels, int steps, orbit::Panel panel) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= panels) return;
  float share = 1361.0f * panel.absorptivity * facing[i];
  float inverse = 1.0f / panel.capacity;
  float kelvin[orbit::kLayers];
  for (int k = 0; k < orbit::kLayers; ++k) kelvin[k] = 290.0f;
  float highest = 0;
  for (int step = 0; step < steps; ++step) {
    float gained = share * sunlight[step] - orbit::radiated(kelvin[0], panel.emissivity);
    float flow = 0;
#pragma unroll
    for (int k = 0; k + 1 < orbit::kLayers; ++k) {
      float next = panel.conductance * (kelvin[k] - kelvin[k + 1]);
      kelvin[k] += flow - next;
      flow = next;
    }
    kelvin[orbit::kLayers - 1] += flow;
    kelvin[0] += gained * inverse;
    highest = fmaxf(highest, kelvin[0]);
  }
  front[i] = kelvin[0];
  back[i] = kelvin[orbit::kLayers - 1];
  hottest[i] = highest;
}
