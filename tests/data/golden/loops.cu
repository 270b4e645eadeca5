// Loops: nested, with early exit and continue, and one entered in two places.
__global__ void nested(const int* in, int* out, int rows, int columns) {
  int sum = 0;
  for (int y = threadIdx.x; y < rows; y += blockDim.x) {
#pragma unroll 1
    for (int x = 0; x < columns; ++x) {
      int v = in[y * columns + x];
      if (v < 0) break;
      if (v == 7) continue;
      sum += v * x;
    }
  }
  out[threadIdx.x] = sum;
}

__global__ void two_entries(int* data, int n) {
  int i = threadIdx.x;
  int v = data[i];
  if (v & 1) goto middle;
top:
  data[i] = v + n;
  __syncwarp();
middle:
  v = v * 3 + data[(i + v) & 1023];
  if (v < n) goto top;
  data[i] = v;
}
