// A moving frame brought over a fixed one by a field of displacements: each pixel is gathered from
// where it came, and its difference from the fixed frame kept beside it.

__global__ void register_frames(const float* __restrict__ moving, const float* __restrict__ fixed,
                                const float2* __restrict__ displacements, float* __restrict__ moved,
                                float* __restrict__ differences, int width, int height,
                                float reach) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int pixel = y * width + x;
  float2 displacement = displacements[pixel];
  float from_x = static_cast<float>(x) + reach * (displacement.x - 0.5f);
  float from_y = static_cast<float>(y) + reach * (displacement.y - 0.5f);
  from_x = fminf(fmaxf(from_x, 0.0f), static_cast<float>(width - 2));
  from_y = fminf(fmaxf(from_y, 0.0f), static_cast<float>(height - 2));

  int column = static_cast<int>(from_x);
  int row = static_cast<int>(from_y);
  float u = from_x - static_cast<float>(column);
  float v = from_y - static_cast<float>(row);
  const float* corner = moving + row * width + column;
  float upper_left = corner[0];
  float upper_right = corner[1];
  float lower_left = corner[width];
  float lower_right = corner[width + 1];
  float upper = upper_left + u * (upper_right - upper_left);
  float lower = lower_left + u * (lower_right - lower_left);
  float value = upper + v * (lower - upper);

  moved[pixel] = value;
  differences[pixel] = fabsf(value - fixed[pixel]);
}
