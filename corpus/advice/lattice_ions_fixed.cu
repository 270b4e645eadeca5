// Short-range energies and forces of ions in boxes: a block takes the ions of one box, a thread
// each, and sums the screened interaction with all ions of the neighbouring boxes, which it stages
// in shared memory one box after the other.

constexpr int kMaxIons = 128;  // in a box

struct Ion {
  float x, y, z, charge;
};

struct Force {
  float energy, x, y, z;
};

__device__ __forceinline__ void interact(Force& sum, const Ion& a, const Ion& b, float screening) {
  float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  float squared = dx * dx + dy * dy + dz * dz;
  float decay = __expf(-screening * squared);
  float strength = b.charge * decay;
  float pull = 2.0f * screening * strength;
  sum.energy += strength;
  sum.x += pull * dx;
  sum.y += pull * dy;
  sum.z += pull * dz;
}

// A box's neighbours are listed `near` to a box; counts has the number of ions of each box.
__global__ void __launch_bounds__(kMaxIons)
    lattice_ions(const Ion* __restrict__ ions, const int* __restrict__ counts,
                 const int* __restrict__ neighbours, Force* __restrict__ forces, int near,
                 float screening) {
  __shared__ Ion others[kMaxIons];
  int t = threadIdx.x, box = blockIdx.x;
  Ion self = ions[box * kMaxIons + t];
  Force sum = {};
  for (int k = 0; k < near; ++k) {
    int other = neighbours[box * near + k];
    int count = min(64 + counts[other], kMaxIons);
    __syncthreads();
    if (t < count) others[t] = ions[other * kMaxIons + t];
    __syncthreads();
    const Ion *ion = others, *end = others + count;
    for (; end - ion >= 4; ion += 4) {
      interact(sum, self, ion[0], screening);
      interact(sum, self, ion[1], screening);
      interact(sum, self, ion[2], screening);
      interact(sum, self, ion[3], screening);
    }
    while (ion != end) {
      interact(sum, self, *ion, screening);
      ++ion;
    }
  }
  sum.energy *= self.charge;
  sum.x *= self.charge;
  sum.y *= self.charge;
  sum.z *= self.charge;
  forces[box * kMaxIons + t] = sum;
}
