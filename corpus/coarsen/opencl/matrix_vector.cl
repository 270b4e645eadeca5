// A matrix times a vector, a row per work-item: the accesses of neighbours are far apart.
__kernel void multiply_rows(const __global float* matrix, const __global float* vector, uint width,
                            uint height, __global float* out) {
  uint y = get_global_id(0);
  if (y < height) {
    const __global float* row = matrix + y * width;
    float product = 0;
    for (uint x = 0; x < width; ++x) product += row[x] * vector[x];
    out[y] = product;
  }
}
