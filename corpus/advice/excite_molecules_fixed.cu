// Electron density of a molecule on a grid, with its slope along x: each thread sums the orbitals
// of all atoms at one point of the grid. An orbital is a polynomial in the nearness to its atom,
// fitted for four kinds of atoms. The fits are the same for all points.

constexpr int kAtoms = 24, kKinds = 4, kTerms = 8;

// From the highest power down, for each kind of atom.
__constant__ float fits[kKinds][kTerms] = {
    {1.731f, -3.214f, 2.905f, -1.377f, 0.418f, -0.071f, 0.0092f, 0.0006f},
    {2.166f, -4.021f, 3.388f, -1.592f, 0.503f, -0.094f, 0.0117f, 0.0008f},
    {1.402f, -2.718f, 2.561f, -1.203f, 0.377f, -0.063f, 0.0085f, 0.0005f},
    {2.804f, -5.117f, 4.276f, -2.041f, 0.629f, -0.112f, 0.0141f, 0.0011f},
};

struct Grid {
  float spacing;
  int side;
};

struct Density {
  float value, slope;
};

// Places of the atoms, with their charge as the last.
__device__ __forceinline__ void add_atom(Density& sum, float4 atom, float x, float y, float z) {
  float dx = x - atom.x, dy = y - atom.y, dz = z - atom.z;
  float nearness = __fdividef(1.0f, 1.0f + 8.0f * (dx * dx + dy * dy + dz * dz));
  const float* fit = fits[static_cast<int>(atom.w * kKinds)];
  float orbital = fit[0], derivative = 0;
#pragma unroll
  for (int k = 1; k < kTerms; ++k) {
    derivative = derivative * nearness + orbital;
    orbital = orbital * nearness + fit[k];
  }
  sum.value += atom.w * orbital * orbital;
  sum.slope -= 32.0f * atom.w * orbital * derivative * nearness * nearness * dx;
}

__global__ void __launch_bounds__(256)
    excite_molecules(const float4* __restrict__ atoms, float* __restrict__ densities,
                     float* __restrict__ slopes, Grid grid) {
  int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32, z = blockIdx.z;
  int place = (z * grid.side + y) * grid.side + x;
  Density sum = {};
  for (int atom = 0; atom < kAtoms; ++atom) {
    add_atom(sum, atoms[atom], x * grid.spacing, y * grid.spacing, z * grid.spacing);
  }
  densities[place] = sum.value;
  slopes[place] = sum.slope;
}
