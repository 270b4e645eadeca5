// A season of plankton in each parcel of sea water: algae grow with the light of the day and the
// nutrients that are left, and small animals graze on them. A parcel is its depth, its nutrients,
// its algae and its grazers at the beginning.

struct Rates {
  float growth, grazing, death;
};

__device__ __forceinline__ float light_at(float hour, float dimming) {
  float sun = fmaxf(__sinf(0.2617994f * (hour - 6.0f)), 0.0f);
  return __fdividef(sun * dimming, 0.1f + sun * dimming);
}

__global__ void grow_plankton(const float4* __restrict__ parcels, float2* __restrict__ seasons,
                              int parcel_count, int hours) {
  const Rates rates{0.06f, 0.05f, 0.01f};
  int stride = gridDim.x * blockDim.x;
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < parcel_count; p += stride) {
    float4 parcel = parcels[p];
    float dimming = __expf(-2.0f * parcel.x);
    float nutrients = 0.5f + parcel.y, algae = 0.1f + 0.2f * parcel.z, grazers = 0.05f * parcel.w;
    float most = 0.0f, hour = 0.0f;
    for (int h = 0; h < hours; ++h) {
      float uptake = rates.growth * light_at(hour, dimming) * algae * nutrients;
      float eaten = rates.grazing * algae * grazers;
      float lost = rates.death * grazers;
      nutrients += lost - uptake;
      algae += uptake - eaten;
      grazers += 0.7f * eaten - lost;
      most = fmaxf(most, algae);
      hour = hour < 23.0f ? hour + 1.0f : 0.0f;
    }
    seasons[p] = make_float2(most, grazers);
  }
}
