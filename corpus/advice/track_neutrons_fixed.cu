// Neutrons in a slab of layers, by Monte Carlo: each thread follows one neutron from collision to
// collision until it is absorbed, leaves the slab or has had its share of steps. Counts where
// neutrons end, and the collisions in each layer.

constexpr int kLayers = 8;

struct Material {
  float total, absorbed;  // cross sections, 1/cm, and the share of absorption
};

struct Neutron {
  float place, direction, energy;
  unsigned long long state;
};

// A number between 0 and 1 from a congruential generator.
__device__ __forceinline__ float random_number(Neutron& neutron) {
  neutron.state = neutron.state * 6364136223846793005ull + 1442695040888963407ull;
  return ((neutron.state >> 40) + 0.5f) * (1.0f / 16777216.0f);
}

__device__ __forceinline__ int layer_of(float place, float thickness) {
  int layer = static_cast<int>(place / thickness);
  return min(max(layer, 0), kLayers - 1);
}

// Slow neutrons collide more often.
__device__ __forceinline__ float cross_section(const Material& material, float energy) {
  return material.total * (1.0f + 0.2f * rsqrtf(energy + 0.01f));
}

// The way to the layer's border along the neutron's direction.
__device__ __forceinline__ float distance_to_border(const Neutron& neutron, int layer,
                                                    float thickness) {
  float border = (neutron.direction > 0 ? layer + 1 : layer) * thickness;
  return fmaxf((border - neutron.place) / neutron.direction, 0.0f) + 1e-4f;
}

__device__ __forceinline__ void scatter(Neutron& neutron) {
  float cosine = 2.0f * random_number(neutron) - 1.0f;
  neutron.direction = fabsf(cosine) < 0.01f ? 0.01f : cosine;
  neutron.energy *= 0.5f + 0.5f * random_number(neutron);
}

__global__ void __launch_bounds__(128)
    track_neutrons(const float2* __restrict__ table, unsigned* __restrict__ collisions,
                   float* __restrict__ energies, int steps, float thickness,
                   unsigned long long seed) {
  __shared__ Material materials[kLayers];
  __shared__ unsigned counts[kLayers];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < kLayers) {
    float2 entry = table[threadIdx.x];
    materials[threadIdx.x] = {0.5f + entry.x, 0.02f + 0.05f * entry.y};
    counts[threadIdx.x] = 0;
  }
  __syncthreads();
  Neutron neutron = {1e-3f, 1.0f, 1.0f, seed + i * 0x9e3779b97f4a7c15ull};
  bool flies = true;
  for (int step = 0; step < steps && flies; ++step) {
    int layer = layer_of(neutron.place, thickness);
    const Material& material = materials[layer];
    float mean = cross_section(material, neutron.energy);
    float flight = -__logf(random_number(neutron)) / mean;
    float border = distance_to_border(neutron, layer, thickness);
    neutron.place += neutron.direction * fminf(flight, border);
    flies = neutron.place >= 0 && neutron.place < kLayers * thickness;
    if (flies && flight < border) {
      atomicAdd(&counts[layer], 1u);
      flies = random_number(neutron) >= material.absorbed;
      scatter(neutron);
    }
  }
  energies[i] = neutron.energy;
  __syncthreads();
  if (threadIdx.x < kLayers) atomicAdd(&collisions[threadIdx.x], counts[threadIdx.x]);
}
