// Calls that are not inlined: direct, recursive, and through a pointer.
__device__ __noinline__ float polynomial(float x, int degree) {
  float sum = 1;
  for (int i = 0; i < degree; ++i) sum = sum * x + i;
  return sum;
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ int twice(int x) {
  return 2 * x;
}
__device__ int (*const kTable[])(int) = {fibonacci, twice};

__global__ void direct(float* data, int n) {
  int i = threadIdx.x;
  data[i] = polynomial(data[i], n) - polynomial(data[i + 32], 3);
}

__global__ void through_pointer(int* data, int which) {
  data[threadIdx.x] = kTable[which](data[threadIdx.x]);
}
