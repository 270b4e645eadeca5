// One kernel for each thing that a cubin tells about its kernels.
__constant__ int table[4] = {1, 2, 3, 4};

__device__ __noinline__ int outlined(int x) {
  int s = 0;
  for (int i = 0; i < x; ++i) s = s * 31 + table[i & 3];
  return s;
}

template <int N>
struct Numbers {
  int v[N];
};

template <int N>
__global__ void __launch_bounds__(128) staged(Numbers<N> numbers, int* out) {
  __shared__ int tile[N];
  tile[threadIdx.x] = numbers.v[0];
  __syncthreads();
  out[threadIdx.x] = tile[N - 1 - threadIdx.x] + outlined(numbers.v[threadIdx.x & 1]);
}
template __global__ void staged<300>(Numbers<300>, int*);

__global__ void framed(int* p, int n) {
  int a[40];
  for (int i = 0; i < 40; ++i) a[i] = p[i];
  for (int i = 0; i < n; ++i) a[a[i] % 40] += i;
  p[n] = a[n];
}

__global__ void barred(int* p) {
  __shared__ int x[64];
  x[threadIdx.x] = p[threadIdx.x];
  asm volatile("bar.sync 3, 64;");
  p[0] = x[63 - threadIdx.x];
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clustered(int* p) { p[blockIdx.x] = 1; }
#endif
