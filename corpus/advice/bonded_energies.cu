// The bonded energy of molecules along their trajectories, a block of four warps for each molecule:
// the warps take the bonds, the angles, the torsions and the places that are kept flat.

constexpr int kAtoms = 512, kThreads = 128;
constexpr int kBonds = 512, kAngles = 896, kTorsions = 1536, kPlanes = 128;

struct Vector {
  float x, y, z;
};

__device__ __forceinline__ Vector minus(Vector a, Vector b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__device__ __forceinline__ float dot(Vector a, Vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ __forceinline__ Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__global__ void __launch_bounds__(kThreads)
    bonded_energies(const Vector* __restrict__ trajectory, const int2* __restrict__ bonds,
                    const int4* __restrict__ angles, const int4* __restrict__ torsions,
                    const int4* __restrict__ planes, float* __restrict__ energies, int frames) {
  __shared__ Vector atoms[kAtoms];
  __shared__ float sums[kThreads / 32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int frame = 0; frame < frames; ++frame) {
    int image = blockIdx.x * frames + frame;
    for (int k = threadIdx.x; k < kAtoms; k += kThreads) {
      atoms[k] = trajectory[static_cast<size_t>(image) * kAtoms + k];
    }
    __syncthreads();

    float energy = 0;
    if (warp == 0) {
      for (int k = lane; k < kBonds; k += 32) {
        Vector along = minus(atoms[bonds[k].x], atoms[bonds[k].y]);
        float stretch = sqrtf(dot(along, along)) - 0.4f;
        energy += stretch * stretch;
      }
    }
    if (warp == 1) {
      for (int k = lane; k < kAngles; k += 32) {
        int4 angle = angles[k];
        Vector one = minus(atoms[angle.x], atoms[angle.y]);
        Vector other = minus(atoms[angle.z], atoms[angle.y]);
        float cosine = dot(one, other) * rsqrtf(dot(one, one) * dot(other, other) + 1e-6f);
        energy += (cosine - 0.3f) * (cosine - 0.3f);
      }
    }
    if (warp == 2) {
      for (int k = lane; k < kTorsions; k += 32) {
        int4 torsion = torsions[k];
        Vector middle = minus(atoms[torsion.z], atoms[torsion.y]);
        Vector one = cross(minus(atoms[torsion.x], atoms[torsion.y]), middle);
        Vector other = cross(minus(atoms[torsion.w], atoms[torsion.z]), middle);
        float cosine = dot(one, other) * rsqrtf(dot(one, one) * dot(other, other) + 1e-6f);
        energy += 1.0f + cosine * (2.0f * cosine - 1.0f);
      }
    }
    if (warp == 3) {
      for (int k = lane; k < kPlanes; k += 32) {
        int4 plane = planes[k];
        Vector one = minus(atoms[plane.x], atoms[plane.y]);
        Vector other = minus(atoms[plane.z], atoms[plane.y]);
        float volume = dot(cross(one, other), minus(atoms[plane.w], atoms[plane.y]));
        energy += volume * volume;
      }
    }

    for (int away = 16; away > 0; away /= 2) energy += __shfl_xor_sync(~0u, energy, away);
    if (lane == 0) sums[warp] = energy;
    __syncthreads();
    if (threadIdx.x == 0) energies[image] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}
