// Built with -G: nothing is optimised, every variable is in memory, full debug information.
__device__ int collatz(int n) {
  int steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

__global__ void longest(int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) steps[i] = collatz(i + 1);
}
