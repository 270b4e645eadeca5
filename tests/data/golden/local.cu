// An array indexed at run time lives in local memory.
__global__ void sort_small(const int* in, int* out, int n) {
  int values[24];
  for (int i = 0; i < 24; ++i) values[i] = in[threadIdx.x * 24 + i];
#pragma unroll 1
  for (int i = 1; i < n; ++i) {
    int v = values[i];
    int j = i;
#pragma unroll 1
    for (; j > 0 && values[j - 1] > v; --j) values[j] = values[j - 1];
    values[j] = v;
  }
  for (int i = 0; i < 24; ++i) out[threadIdx.x * 24 + i] = values[i];
}
