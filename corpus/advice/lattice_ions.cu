// Short-range energies and forces of ions in boxes: a block takes the ions of one box and sums
// their screened interaction with all ions of the neighbouring boxes, which it stages in shared
// memory one box after the other. A row of threads takes its share of the ions of a box; the rows'
// sums are added up at the end.

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
__global__ void __launch_bounds__(2 * kMaxIons)
    lattice_ions(const Ion* __restrict__ ions, const int* __restrict__ counts,
                 const int* __restrict__ neighbours, Force* __restrict__ forces, int near,
                 float screening) {
  __shared__ Ion others[kMaxIons];
  __shared__ Force partial[kMaxIons];
  int t = threadIdx.x, box = blockIdx.x;
  Ion self = ions[box * kMaxIons + t];
  Force sum = {};
  for (int k = 0; k < near; ++k) {
    int other = neighbours[box * near + k];
    int count = min(64 + counts[other], kMaxIons);
    __syncthreads();
    if (threadIdx.y == 0 && t < count) others[t] = ions[other * kMaxIons + t];
    __syncthreads();
    for (int ion = threadIdx.y; ion < count; ion += blockDim.y) {
      interact(sum, self, others[ion], screening);
    }
  }
  for (int row = 1; row < blockDim.y; ++row) {
    __syncthreads();
    if (threadIdx.y == row) partial[t] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
      sum.energy += partial[t].energy;
      sum.x += partial[t].x;
      sum.y += partial[t].y;
      sum.z += partial[t].z;
    }
  }
  if (threadIdx.y != 0) return;
  sum.energy *= self.charge;
  sum.x *= self.charge;
  sum.y *= self.charge;
  sum.z *= self.charge;
  forces[box * kMaxIons + t] = sum;
}
