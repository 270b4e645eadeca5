// Overlap of electron orbitals on a grid: each thread evaluates a contracted set of Gaussians at
// one point of the grid and sums the density of a molecule. The basis is the same for all points.

constexpr int kAtoms = 12, kPrimitives = 6;

struct Primitive {
  float exponent, coefficient;
};

// Two contractions of six primitives: one for light atoms, one for heavy ones.
__device__ Primitive basis[2][kPrimitives] = {
    {{-35.52f, 0.0092f},
     {-6.513f, 0.0494f},
     {-1.822f, 0.1685f},
     {-0.6260f, 0.3706f},
     {-0.2431f, 0.4165f},
     {-0.1001f, 0.1303f}},
    {{-742.7f, 0.0092f},
     {-136.2f, 0.0494f},
     {-38.10f, 0.1685f},
     {-13.09f, 0.3706f},
     {-5.082f, 0.4165f},
     {-2.093f, 0.1303f}},
};

struct Molecule {
  float spacing;
  int side;
};

// Positions of the atoms, with their charge as the last.
__device__ __forceinline__ float density_at(float x, float y, float z,
                                            const float4* __restrict__ atoms) {
  float total = 0;
  for (int atom = 0; atom < kAtoms; ++atom) {
    float4 place = atoms[atom];
    float dx = x - place.x, dy = y - place.y, dz = z - place.z;
    float squared = dx * dx + dy * dy + dz * dz;
    int kind = place.w > 0.7f;
    float orbital = 0;
#pragma unroll
    for (int k = 0; k < kPrimitives; ++k) {
      orbital += basis[kind][k].coefficient * exp2f(basis[kind][k].exponent * squared);
    }
    total += place.w * orbital * orbital;
  }
  return total;
}

__global__ void __launch_bounds__(256)
    excite_molecules(const float4* __restrict__ atoms, float* __restrict__ densities,
                     float* __restrict__ gradients, Molecule molecule) {
  int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32, z = blockIdx.z;
  int place = (z * molecule.side + y) * molecule.side + x;
  float px = x * molecule.spacing, py = y * molecule.spacing, pz = z * molecule.spacing;
  float here = density_at(px, py, pz, atoms);
  float ahead = density_at(px + 0.5f * molecule.spacing, py, pz, atoms);
  densities[place] = here;
  gradients[place] = ahead / (here + 1e-6f);
}
