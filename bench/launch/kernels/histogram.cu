// How often each value occurs: one value for each thread, counted in global memory.
__global__ void histogram(const int* values, int* counts, int n, int bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bin = values[i];
  if (bin < bins) atomicAdd(counts + bin, 1);
}
