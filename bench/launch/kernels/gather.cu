// Entries of a table, by random indices.
__global__ void gather(const float* table, const int* indices, float* out, int entries, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int index = indices[i];
  out[i] = index < entries ? table[index] : 0;
}
