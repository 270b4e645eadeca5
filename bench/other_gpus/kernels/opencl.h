// Enough of OpenCL C for nvcc to compile a kernel as CUDA.
#define __kernel extern "C" __global__
#define __global
#define __local __shared__
#define restrict __restrict__
#define inline __device__ inline
#define USE_INLINE_KEYWORD 1
#define reqd_work_group_size(x, y, z) launch_bounds((x) * (y) * (z))
#define barrier(fence) __syncthreads()

__device__ size_t get_local_id(int d) {
  return d == 0 ? threadIdx.x : threadIdx.y;
}
__device__ size_t get_group_id(int d) {
  return d == 0 ? blockIdx.x : blockIdx.y;
}
__device__ size_t get_num_groups(int d) {
  return d == 0 ? gridDim.x : gridDim.y;
}

struct __align__(32) float8 {
  float s0, s1, s2, s3, s4, s5, s6, s7;
};
struct __align__(64) float16 {
  float s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sA, sB, sC, sD, sE, sF;
};

// A pointer to local memory. ptxas 13 merges neighbouring loads and stores of shared memory, the
// OpenCL compiler of the records did not. blockIdx.z is 0, which compilers do not know: for all
// they know, nothing is aligned to more than an element.
template <typename T>
struct Local {
  T* at;
  __device__ Local(T* p) : at(p + blockIdx.z) {}
  __device__ T& operator[](int i) const { return at[i]; }
};
