// A transpose straight from global memory to global memory.
__kernel void transpose_naive(__global float* out, __global const float* in, int offset, int width,
                              int height) {
  unsigned int x = get_global_id(0);
  unsigned int y = get_global_id(1);
  if (x + offset < width && y < height) {
    unsigned int from = x + offset + width * y;
    unsigned int to = y + height * x;
    out[to] = in[from];
  }
}
