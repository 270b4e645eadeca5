// The strain inside the candidate shapes (conformers) of a drug molecule: for each atom the clashes
// with the atoms after it in the list. An atom is its place (in units of the box) and its charge.

constexpr int most_atoms = 512;

__device__ __forceinline__ float clash(float4 a, float4 b) {
  const float box = 24.0f, reach = 3.2f;
  float dx = box * (a.x - b.x), dy = box * (a.y - b.y), dz = box * (a.z - b.z);
  float square = dx * dx + dy * dy + dz * dz + 0.01f;
  float inverse = rsqrtf(square);
  float overlap = fmaxf(reach - square * inverse, 0.0f);
  float charges = (a.w - 0.5f) * (b.w - 0.5f);
  return overlap * overlap + 0.8f * charges * inverse;
}

__device__ __forceinline__ float over_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

__global__ void conformer_clashes(const float4* __restrict__ atoms, float* __restrict__ strains,
                                  int atom_count, int conformers) {
  __shared__ float4 placed[most_atoms];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

  for (int c = blockIdx.x; c < conformers; c += gridDim.x) {
    for (int i = threadIdx.x; i < atom_count; i += blockDim.x) {
      placed[i] = atoms[c * atom_count + i];
    }
    __syncthreads();

    for (int row = warp; row < atom_count; row += warps) {
      float4 atom = placed[row];
      float sum = 0.0f;
      for (int other = row + 1 + lane; other < atom_count; other += 32) {
        sum += clash(atom, placed[other]);
      }
      sum = over_warp(sum);
      if (lane == 0) strains[c * atom_count + row] = sum;
    }
    __syncthreads();
  }
}
