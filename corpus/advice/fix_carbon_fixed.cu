// Carbon uptake of leaves in a land surface model, one leaf per thread: photosynthesis after
// Farquhar, stomata after Ball and Berry and the heat balance of the leaf, which depend on each
// other and are iterated together.

struct Air {
  float carbon;    // umol/mol
  float boundary;  // conductance of the leaf's boundary layer, mol/m2/s
};

struct Leaf {
  float uptake;       // of carbon, umol/m2/s
  float conductance;  // of the stomata, mol/m2/s
};

// A rate at a temperature from that at 25 degrees; the energy is divided by the gas constant.
__device__ __forceinline__ float rate_at(float kelvin, float at25, float energy) {
  return at25 * __expf(__fdividef(energy * (kelvin - 298.15f), 298.15f * kelvin));
}

// Pressure of saturated vapour, kPa.
__device__ __forceinline__ float saturation(float kelvin) {
  return 0.6108f * __expf(__fdividef(17.27f * (kelvin - 273.15f), kelvin - 35.85f));
}

__device__ __forceinline__ float uptake_of(float kelvin, float light, float inside) {
  float rubisco = rate_at(kelvin, 60.0f, 7858.0f), transport = rate_at(kelvin, 105.0f, 5237.0f);
  float carbon = rate_at(kelvin, 404.9f, 9554.0f), oxygen = rate_at(kelvin, 278.4f, 4376.0f);
  float balance = rate_at(kelvin, 42.75f, 4550.0f), lost = rate_at(kelvin, 0.9f, 5580.0f);
  float half = carbon * (1.0f + __fdividef(210.0f, oxygen));
  float electrons = light * transport * rsqrtf(light * light + transport * transport);
  float by_enzyme = __fdividef(rubisco * (inside - balance), inside + half);
  float by_light = __fdividef(0.25f * electrons * (inside - balance), inside + 2.0f * balance);
  return fminf(by_enzyme, by_light) - lost;
}

__global__ void __launch_bounds__(256)
    fix_carbon(const float* __restrict__ warmths, const float* __restrict__ lights,
               const float* __restrict__ humidities, Leaf* __restrict__ leaves, Air air, int count,
               int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float kelvin = 283.0f + 20.0f * warmths[i], light = 20.0f + 680.0f * lights[i];
  float vapour = (0.4f + 0.5f * humidities[i]) * saturation(kelvin);
  float leaf = kelvin, inside = 0.7f * air.carbon, uptake = 0, conductance = 0.01f;
  for (int k = 0; k < rounds; ++k) {
    uptake = uptake_of(leaf, light, inside);
    float surface = air.carbon - __fdividef(1.37f * uptake, air.boundary);
    float moisture = fminf(__fdividef(vapour, saturation(leaf)), 1.0f);
    conductance = 0.01f + __fdividef(9.0f * fmaxf(uptake, 0.0f) * moisture, surface);
    inside = 0.5f * (inside + fmaxf(surface - __fdividef(1.6f * uptake, conductance), 50.0f));
    float total = __fdividef(conductance * air.boundary, conductance + air.boundary);
    float cooling = 434.0f * total * (saturation(leaf) - vapour);
    float warming = __fdividef(0.3f * light - cooling, 29.3f * air.boundary + 6.0f);
    leaf = 0.5f * (leaf + kelvin + warming);
  }
  leaves[i] = {uptake, conductance};
}
