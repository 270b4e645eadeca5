// A step of a seven-point stencil in three dimensions; the border keeps its values.
#define AT(x, y, z) ((x) + nx * ((y) + ny * (z)))
__kernel void stencil7(float c0, float c1, __global const float* a0, __global float* next, int nx,
                       int ny, int nz) {
  int i = get_global_id(0) + 1;
  int j = get_global_id(1) + 1;
  int k = get_global_id(2) + 1;
  if (i < nx - 1 && j < ny - 1 && k < nz - 1) {
    next[AT(i, j, k)] = (a0[AT(i, j, k + 1)] + a0[AT(i, j, k - 1)] + a0[AT(i, j + 1, k)] +
                         a0[AT(i, j - 1, k)] + a0[AT(i + 1, j, k)] + a0[AT(i - 1, j, k)]) *
                            c1 -
                        a0[AT(i, j, k)] * c0;
  }
}
