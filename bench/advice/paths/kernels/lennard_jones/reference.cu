// Hand-written: the positions are copied to float4 first (a small kernel), so a neighbour is one 16-byte load. Eight
// lanes share an atom: each reads four indices at a time (int4), so all 64 take two rounds of coalesced loads, and the
// four positions are in flight together. One approximate reciprocal per pair; shuffles add the lanes up.
#include <cuda_runtime.h>

namespace {
constexpr int kMaxAtoms = 1 << 20, kLanes = 8;

__device__ float4 packed[kMaxAtoms];

__global__ void __launch_bounds__(256) pack(const float *__restrict__ positions, int atoms) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < atoms) packed[i] = make_float4(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], 0);
}

__global__ void __launch_bounds__(256)
    force(const int4 *__restrict__ neighbours, const int *__restrict__ counts, float *__restrict__ forces, int atoms,
          int quads, float box, float inverse_box, float cutoff2, float sigma2, float epsilon24) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes, lane = threadIdx.x % kLanes;
  const bool exists = i < atoms;
  const int count = exists ? counts[i] : 0;
  const float4 here = exists ? packed[i] : make_float4(0, 0, 0, 0);
  float fx = 0, fy = 0, fz = 0;
  for (int first = 4 * lane; first < count; first += 4 * kLanes) {
    const int4 four = __ldcs(&neighbours[(size_t)i * quads + first / 4]);
    const int j[4] = {four.x, four.y, four.z, four.w};
    float4 there[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) there[k] = first + k < count ? packed[j[k]] : here;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float dx = here.x - there[k].x, dy = here.y - there[k].y, dz = here.z - there[k].z;
      dx -= box * rintf(dx * inverse_box);
      dy -= box * rintf(dy * inverse_box);
      dz -= box * rintf(dz * inverse_box);
      float r2 = dx * dx + dy * dy + dz * dz;
      const bool near = r2 < cutoff2;  // an atom does nothing to itself, as dx = dy = dz = 0
      r2 = fmaxf(r2, 0.64f * sigma2);
      const float inverse = __fdividef(1.0f, r2), s2 = sigma2 * inverse, s6 = s2 * s2 * s2;
      const float f = near ? epsilon24 * (2 * s6 * s6 - s6) * inverse : 0.0f;
      fx += f * dx;
      fy += f * dy;
      fz += f * dz;
    }
  }
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) {
    fx += __shfl_xor_sync(~0u, fx, step);
    fy += __shfl_xor_sync(~0u, fy, step);
    fz += __shfl_xor_sync(~0u, fz, step);
  }
  if (exists && lane < 3) forces[3 * (size_t)i + lane] = lane == 0 ? fx : lane == 1 ? fy : fz;
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *positions = *(const float **)arguments[0];
  const int4 *neighbours = *(const int4 **)arguments[1];
  const int *counts = *(const int **)arguments[2];
  float *forces = *(float **)arguments[3];
  const int atoms = *(int *)arguments[4], max_neighbours = *(int *)arguments[5];  // up to 2^20; a multiple of 4
  const float box = *(float *)arguments[6], cutoff = *(float *)arguments[7], sigma = *(float *)arguments[8];
  const float epsilon = *(float *)arguments[9];
  pack<<<(atoms + 255) / 256, 256, 0, stream>>>(positions, atoms);
  const int per_block = 256 / kLanes;
  force<<<(atoms + per_block - 1) / per_block, 256, 0, stream>>>(neighbours, counts, forces, atoms, max_neighbours / 4,
                                                                box, 1 / box, cutoff * cutoff, sigma * sigma,
                                                                24 * epsilon);
}
