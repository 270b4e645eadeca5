// Docking of a drug: scores of the poses kept in the last round of the search. The blocks of
// one column score one pose: each turns and moves the ligand's atoms into place, in shared memory,
// and sums the energy of all pairs of an atom of the ligand and one of its part of the receptor.
// The energies start at zero.

constexpr int kAtoms = 64, kThreads = 256;  // atoms of the ligand
constexpr float kContact = 0.3f;               // nanometres, as all lengths

struct Pose {
  float turn[4];  // quaternion, of any length
  float move[3];
};

__device__ __forceinline__ float4 placed(float4 atom, const Pose& pose) {
  float w = pose.turn[0], x = pose.turn[1], y = pose.turn[2], z = pose.turn[3];
  float scale = rsqrtf(w * w + x * x + y * y + z * z + 1e-6f);
  w *= scale, x *= scale, y *= scale, z *= scale;
  float tx = 2 * (y * atom.z - z * atom.y), ty = 2 * (z * atom.x - x * atom.z);
  float tz = 2 * (x * atom.y - y * atom.x);
  return make_float4(atom.x + w * tx + y * tz - z * ty + pose.move[0],
                     atom.y + w * ty + z * tx - x * tz + pose.move[1],
                     atom.z + w * tz + x * ty - y * tx + pose.move[2], atom.w);
}

// Softened van der Waals and electrostatic energy of two atoms: positions and charges.
__device__ __forceinline__ float energy_of(float4 a, float4 b) {
  float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  float square = dx * dx + dy * dy + dz * dz + 0.05f;
  float inverse = rsqrtf(square);
  float cube = kContact * kContact * kContact * inverse * inverse * inverse;
  float sixth = cube * cube;
  return sixth * sixth - sixth + a.w * b.w * inverse;
}

__global__ void __launch_bounds__(kThreads)
    score_poses(const float4* __restrict__ ligand, const float4* __restrict__ receptor,
                const Pose* __restrict__ poses, float* __restrict__ energies, int atoms) {
  __shared__ float4 moved[kAtoms];
  __shared__ float partial[kThreads / 32];
  int thread = threadIdx.x;
  if (thread < kAtoms) moved[thread] = placed(ligand[thread], poses[blockIdx.x]);
  __syncthreads();
  float energy = 0;
  for (int i = blockIdx.y * kThreads + thread; i < atoms; i += gridDim.y * kThreads) {
    float4 atom = receptor[i];
    for (int k = 0; k < kAtoms; ++k) energy += energy_of(atom, moved[k]);
  }
  for (int step = 16; step > 0; step /= 2) energy += __shfl_xor_sync(~0u, energy, step);
  if (thread % 32 == 0) partial[thread / 32] = energy;
  __syncthreads();
  if (thread == 0) {
    float total = 0;
    for (int warp = 0; warp < kThreads / 32; ++warp) total += partial[warp];
    atomicAdd(&energies[blockIdx.x], total);
  }
}
