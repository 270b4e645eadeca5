// The dose that beams leave in voxels of different tissues: each kind has its own absorption,
// build-up and scatter, over the energies of the beam's spectrum.

enum Tissue { kAir, kSoft, kBone };

// The energy that stays in a voxel, summed over the spectrum.
__device__ __forceinline__ float deposited(float fluence, float depth, int energies,
                                           float absorption, float build_up, float scatter) {
  float sum = 0;
  float energy = 0.2f;
  for (int k = 0; k < energies; ++k) {
    float attenuated = __expf(-absorption * depth * (1.5f - energy));
    float primary = fluence * attenuated * (1.0f - build_up * (1.0f - energy));
    float scattered = scatter * attenuated * __expf(-energy * depth);
    sum += energy * (absorption * primary + scattered);
    energy += 0.04f;
  }
  return sum;
}

__global__ void tissue_doses(const int* __restrict__ tissues, const float* __restrict__ fluences,
                             const float* __restrict__ depths, float* __restrict__ doses,
                             int voxels, int energies) {
  int voxel = blockIdx.x * blockDim.x + threadIdx.x;
  if (voxel >= voxels) return;
  float fluence = fluences[voxel];
  float depth = 4.0f * depths[voxel];
  int tissue = tissues[voxel];

  float dose = 0;
  if (tissue != kAir) {
    bool bone = tissue == kBone;
    dose = deposited(fluence, depth, energies, bone ? 0.45f : 0.2f, bone ? 0.25f : 0.1f,
                     bone ? 0.02f : 0.05f);
  }
  doses[voxel] = dose;
}
