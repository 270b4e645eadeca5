// zone statistics: 400 zones, max and sum by atomics
extern "C" __global__ void zones(const int* __restrict__ zone, const int* __restrict__ value, int* mx, unsigned* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  for (; i < n; i += stride) {
    int z = zone[i];
    int v = value[i];
    atomicMax(&mx[z], v);
    atomicAdd(&sum[z], (unsigned)v);
  }
}
