// The four kinds of kernels that work-items compute together, through local memory and barriers.
// They cannot be coarsened by running copies of work-items one after another.

// Haar's wavelets: several levels of one signal in a launch.
__kernel void dwt_haar(__global const float* in, __global float* detail, __global float* average,
                       __local float* shared, uint levels) {
  size_t l = get_local_id(0);
  size_t size = get_local_size(0);
  const float scale = 0.70710678118654752440f;
  float first = in[get_global_id(0) * 2];
  float second = in[get_global_id(0) * 2 + 1];
  detail[get_global_id(0)] = (first - second) * scale;
  shared[l] = (first + second) * scale;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint level = 1; level < levels; ++level) {
    size /= 2;
    float a = l < size ? shared[2 * l] : 0;
    float b = l < size ? shared[2 * l + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < size) shared[l] = (a + b) * scale;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) average[get_group_id(0)] = shared[0];
}

#define TILE 16

// A transpose through a tile.
__kernel void transpose_tile(__global float* out, __global const float* in, int width, int height) {
  local float tile[TILE][TILE + 1];
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x < width && y < height) tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + get_local_id(0);
  y = get_group_id(0) * TILE + get_local_id(1);
  if (x < height && y < width) out[y * height + x] = tile[get_local_id(0)][get_local_id(1)];
}

// The sum of a group's values, in its first work-item.
float group_sum(__local float* shared, float value) {
  shared[get_local_id(0)] = value;
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < step) shared[get_local_id(0)] += shared[get_local_id(0) + step];
  }
  return shared[0];
}

// A matrix times a vector, a work-group per row.
__kernel void multiply_coalesced(__global const float* matrix, __global const float* vector,
                                 int width, __global float* out, __local float* shared) {
  float product = 0;
  for (int x = get_local_id(0); x < width; x += get_local_size(0)) {
    product += matrix[get_group_id(0) * width + x] * vector[x];
  }
  product = group_sum(shared, product);
  if (get_local_id(0) == 0) out[get_group_id(0)] = product;
}

// A sum per work-group.
__kernel void reduce(__global const float* in, __global float* out, __local float* shared) {
  float sum = group_sum(shared, in[get_global_id(0)]);
  if (get_local_id(0) == 0) out[get_group_id(0)] = sum;
}
