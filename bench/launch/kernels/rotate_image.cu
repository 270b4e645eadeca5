// An image rotated about its centre, with bilinear interpolation.
__global__ void rotate_image(const float* in, float* out, float cosine, float sine, int width,
                             int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float dx = x - 0.5f * width, dy = y - 0.5f * height;
  const float u = 0.5f * width + cosine * dx + sine * dy,
              v = 0.5f * height - sine * dx + cosine * dy;
  const int left = floorf(u), top = floorf(v);
  float pixel = 0;
  if (left >= 0 && top >= 0 && left < width - 1 && top < height - 1) {
    const float fx = u - left, fy = v - top;
    const float* p = in + top * width + left;
    pixel =
        (1 - fy) * ((1 - fx) * p[0] + fx * p[1]) + fy * ((1 - fx) * p[width] + fx * p[width + 1]);
  }
  out[y * width + x] = pixel;
}
