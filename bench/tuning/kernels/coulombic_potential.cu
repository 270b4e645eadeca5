// The electric potential of atoms at the points of a plane of width × height points, with the
// parameters of CP in "Program optimization carving for GPU computing", Table 3.
//
//   points_per_thread  points of a row that a thread computes
//   coalesced_output   0: they are adjacent; 1: they are block_size_x apart, so that a warp's
//   stores
//                      are coalesced
#ifndef block_size_x
#define block_size_x 16
#define block_size_y 8
#define points_per_thread 4
#define coalesced_output 1
#endif

constexpr int kThreads = block_size_x * block_size_y;

// x, y, z and charge of each atom.
__constant__ float4 atoms[2048];

extern "C" __global__ void __launch_bounds__(kThreads)
    coulombic_potential(float* __restrict__ potential, int width, int height, int atom_count,
                        float spacing, float plane_z) {
  int first = blockIdx.x * block_size_x * points_per_thread;
#if coalesced_output
  first += threadIdx.x;
  constexpr int kStep = block_size_x;
#else
  first += threadIdx.x * points_per_thread;
  constexpr int kStep = 1;
#endif
  int row = blockIdx.y * block_size_y + threadIdx.y;
  float y = row * spacing;
  float x[points_per_thread];
  float sum[points_per_thread] = {};
#pragma unroll
  for (int i = 0; i < points_per_thread; ++i) x[i] = (first + i * kStep) * spacing;

  for (int a = 0; a < atom_count; ++a) {
    float4 atom = atoms[a];
    float dy = y - atom.y;
    float dz = plane_z - atom.z;
    float squared = dy * dy + dz * dz;
#pragma unroll
    for (int i = 0; i < points_per_thread; ++i) {
      float dx = x[i] - atom.x;
      sum[i] += atom.w * rsqrtf(dx * dx + squared);
    }
  }
#pragma unroll
  for (int i = 0; i < points_per_thread; ++i) {
    int column = first + i * kStep;
    if (column < width && row < height) potential[row * width + column] = sum[i];
  }
}

// One thread per point, 32 × 8 threads.
extern "C" __global__ void coulombic_potential_reference(float* potential, int width, int height,
                                                         int atom_count, float spacing,
                                                         float plane_z) {
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 8 + threadIdx.y;
  if (column >= width || row >= height) return;
  float sum = 0;
  for (int a = 0; a < atom_count; ++a) {
    float dx = column * spacing - atoms[a].x;
    float dy = row * spacing - atoms[a].y;
    float dz = plane_z - atoms[a].z;
    sum += atoms[a].w / sqrtf(dx * dx + dy * dy + dz * dz);
  }
  potential[row * width + column] = sum;
}
