// Stencils (kind stencil): neighbours in one to three dimensions.

// Blocks of 32×2×4 with a slice of shared memory for each z.
__global__ void stencil_slices(const int* __restrict__ in, int* __restrict__ out, int depth) {
  __shared__ int slice[4][2][32];
  int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  for (int first = 0; first < depth / 8; ++first) {
    int i = (((first * 4 + blockIdx.x) * 4 + tz) * 2 + ty) * 32 + tx;
    slice[tz][ty][tx] = in[i];
    __syncthreads();
    out[i] = slice[tz][ty][(tx + 1) % 32] + 10 * slice[tz][1 - ty][tx] + 100 * slice[(tz + 1) % 4][ty][tx];
    __syncthreads();
  }
}
