// One step of diffusion to fourth order on a torus: the field goes on at the other side.

__global__ void torus_diffusion(const float* __restrict__ in, float* __restrict__ out, int width,
                                int height, float rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  int x = i % width;
  int y = i / width;

  int left = x >= 1 ? x - 1 : x - 1 + width;
  int right = x + 1 < width ? x + 1 : x + 1 - width;
  int far_left = x >= 2 ? x - 2 : x - 2 + width;
  int far_right = x + 2 < width ? x + 2 : x + 2 - width;
  int up = y >= 1 ? y - 1 : y - 1 + height;
  int down = y + 1 < height ? y + 1 : y + 1 - height;
  int far_up = y >= 2 ? y - 2 : y - 2 + height;
  int far_down = y + 2 < height ? y + 2 : y + 2 - height;

  float centre = in[i];
  float near_sum = 0;
  near_sum += in[y * width + left];
  near_sum += in[y * width + right];
  near_sum += in[up * width + x];
  near_sum += in[down * width + x];
  float far_sum = 0;
  far_sum += in[y * width + far_left];
  far_sum += in[y * width + far_right];
  far_sum += in[far_up * width + x];
  far_sum += in[far_down * width + x];

  float curvature = (16.0f * near_sum - far_sum - 60.0f * centre) * (1.0f / 12.0f);
  float next = centre + rate * curvature;
  next = fminf(fmaxf(next, 0.0f), 1.0f);
  out[i] = next;
}
