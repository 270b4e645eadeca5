// A convolution with any odd mask, borders clamped, with one index over the whole image.
__kernel void convolve(__global uint* out, __global const uint* in, __global const float* mask,
                       const uint2 size, const uint2 mask_size) {
  uint i = get_global_id(0);
  uint x = i % size.x;
  uint y = i / size.x;
  if (y >= size.y) return;

  uint left = x < mask_size.x / 2 ? 0 : x - mask_size.x / 2;
  uint top = y < mask_size.y / 2 ? 0 : y - mask_size.y / 2;
  uint right = min(x + mask_size.x / 2, size.x - 1);
  uint bottom = min(y + mask_size.y / 2, size.y - 1);
  float sum = 0;
  for (uint row = top; row <= bottom; ++row) {
    for (uint column = left; column <= right; ++column) {
      uint m = (row + mask_size.y / 2 - y) * mask_size.x + column + mask_size.x / 2 - x;
      sum += (float)(in[row * size.x + column] & 0xff) * mask[m];
    }
  }
  sum += 0.5f;
  out[i] = (uint)sum;
}
