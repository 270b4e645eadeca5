// Block shapes again (see shapes.cu), of kernels whose threads take different numbers of turns: the
// shape decides which threads share a warp and wait for one another, and how even the blocks are.

// The Julia set of c = -0.8 + 0.156i: long and short points lie close together.
__global__ void shape_julia(int* __restrict__ out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float x = -1.6f + 3.2f * px / width, y = -1.0f + 2.0f * py / height;
  int k = 0;
  while (k < limit && x * x + y * y < 4.0f) {
    float t = x * x - y * y - 0.8f;
    y = 2 * x * y + 0.156f;
    x = t;
    ++k;
  }
  out[py * width + px] = k;
}

// Newton's method for z^3 = 1: which root, and after how many steps.
__global__ void shape_newton(int* __restrict__ out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float x = -2.0f + 4.0f * px / width, y = -2.0f + 4.0f * py / height;
  int k = 0;
  for (; k < limit; ++k) {
    float xx = x * x, yy = y * y, norm = xx + yy;
    float scale = __fdividef(1.0f, 3.0f * norm * norm + 1e-20f);
    float nx = (2.0f * x) / 3.0f + (xx - yy) * scale, ny = (2.0f * y) / 3.0f - 2.0f * x * y * scale;
    float dx = nx - x, dy = ny - y;
    x = nx;
    y = ny;
    if (dx * dx + dy * dy < 1e-10f) break;
  }
  out[py * width + px] = x > 0 ? k : y > 0 ? k + limit : k + 2 * limit;
}

// How many steps until 3n + 1 and n / 2 come down to 1, for neighbouring n.
__global__ void shape_collatz(int* __restrict__ out, int width, int height, int first) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned long long n = first + y * width + x;
  int steps = 0;
  while (n > 1) {
    n = n & 1 ? 3 * n + 1 : n >> 1;
    ++steps;
  }
  out[y * width + x] = steps;
}

// Rays into a field of spheres, marched by their distance: near the rims many short steps.
__global__ void shape_march(float* __restrict__ out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float dx = (px - 0.5f * width) / height, dy = (py - 0.5f * height) / height;
  float inverse = rsqrtf(dx * dx + dy * dy + 1.0f), t = 0;
  dx *= inverse;
  dy *= inverse;
  float dz = inverse;
  for (int k = 0; k < limit; ++k) {
    float x = dx * t - floorf(dx * t) - 0.5f, y = dy * t - floorf(dy * t) - 0.5f;
    float z = dz * t - floorf(dz * t) - 0.5f;
    float distance = sqrtf(x * x + y * y + z * z) - 0.3f;
    if (distance < 1e-3f || t > 40.0f) break;
    t += distance;
  }
  out[py * width + px] = t;
}

// Means over a window that grows from row to row: lower blocks take longer, all lanes of a row alike.
__global__ void shape_bands(const float* __restrict__ in, float* __restrict__ out, int width,
                            int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int radius = y / 8;
  float sum = 0;
  for (int row = y - radius; row <= y; ++row) sum += in[row * width + x];
  out[y * width + x] = sum / (radius + 1);
}
