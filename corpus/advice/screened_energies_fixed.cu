// The electrostatic energy of each bead of many short polymers in salt water: charges whose force
// the salt screens. Beads that a bond or an angle joins do not count, as the bonded terms hold them
// already. One polymer a block, one bead a thread; the beads are in shared memory.

constexpr int kBeads = 512;
constexpr int kBonded = 2;  // neighbours along the chain that are left out

struct Water {
  float coupling;   // energy times length of two charges
  float screening;  // 1 / the length over which the salt hides a charge, times log2(e)
};

__device__ __forceinline__ float3 along_chain(float4 raw, int bead) {
  return {0.4f * bead + 0.1f * raw.x, raw.y, raw.z};
}

__global__ void __launch_bounds__(kBeads)
    screened_energies(const float4* __restrict__ beads, float* __restrict__ energies,
                      float* __restrict__ fields, Water water) {
  __shared__ float4 chain[kBeads];
  int self = threadIdx.x;
  int place = blockIdx.x * kBeads + self;
  float4 raw = beads[place];
  float3 at = along_chain(raw, self);
  float charge = raw.w - 0.3f;
  chain[self] = {at.x, at.y, at.z, charge};
  __syncthreads();

  float energy = 0, field = 0;
  for (int other = 0; other < kBeads; ++other) {
    float4 bead = chain[other];
    bead.w = abs(other - self) <= kBonded ? 0.0f : bead.w;
    float dx = at.x - bead.x, dy = at.y - bead.y, dz = at.z - bead.z;
    float squared = dx * dx + dy * dy + dz * dz;
    float inverse = rsqrtf(squared + 1e-4f);
    float distance = squared * inverse;
    float potential = bead.w * inverse * exp2f(-distance * water.screening);
    energy += potential;
    field += potential * inverse * (inverse + water.screening * 0.6931472f) * dx;
  }
  energies[place] = 0.5f * water.coupling * charge * energy;
  fields[place] = water.coupling * field;
}
