// Block shapes (see shapes.cu) of threads that search, each until it has found: what they find and
// how soon differs from place to place, in patches, in bands or from thread to thread.

// How far the nearest marked pixel is: rings around the pixel, until one of them has a mark.
__global__ void shape_nearest(const unsigned char* __restrict__ in, int* __restrict__ out, int width,
                              int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int radius = 0;
  for (bool found = false; !found && radius < limit; ++radius) {
    int left = max(x - radius, 0), right = min(x + radius, width - 1);
    int top = max(y - radius, 0), bottom = min(y + radius, height - 1);
    for (int u = left; u <= right; ++u) {
      found |= in[top * width + u] < 2 || in[bottom * width + u] < 2;
    }
    for (int v = top; v <= bottom; ++v) {
      found |= in[v * width + left] < 2 || in[v * width + right] < 2;
    }
  }
  out[y * width + x] = radius;
}

// The burning ship: half of the plane leaves at once, the rest in filaments.
__global__ void shape_ship(int* __restrict__ out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = -2.2f + 3.0f * px / width, cy = -1.8f + 2.4f * py / height, x = 0, y = 0;
  int k = 0;
  while (k < limit && x * x + y * y < 4.0f) {
    float t = x * x - y * y + cx;
    y = fabsf(2 * x * y) + cy;
    x = t;
    ++k;
  }
  out[py * width + px] = k;
}

// The least divisor of neighbouring odd numbers, by trial: primes go on to the root.
__global__ void shape_primes(int* __restrict__ out, int width, int height, int first) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned n = first + 2 * (y * width + x), divisor = 3;
  while (divisor * divisor <= n && n % divisor != 0) divisor += 2;
  out[y * width + x] = divisor * divisor > n ? n : divisor;
}

// Walks on a lattice by drawn steps, until they leave a disc about the image's middle: those that
// begin outside are done at once.
__global__ void shape_walk(int* __restrict__ out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  unsigned state = (py * width + px) * 2654435761u + 1;
  int x = (2 * px - width) / 32, y = (2 * py - height) / 32, reach = height / 40, k = 0;
  while (k < limit && x * x + y * y < reach * reach) {
    state = state * 1664525u + 1013904223u;
    int turn = state >> 30;
    x += turn == 0 ? 1 : turn == 1 ? -1 : 0;
    y += turn == 2 ? 1 : turn == 3 ? -1 : 0;
    ++k;
  }
  out[py * width + px] = k;
}

// Where a wavy surface is met from above, by bisection after a search in steps: steep flanks take
// more steps, and lanes find their crest at different times.
__global__ void shape_terrain(float* __restrict__ out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float dx = (px - 0.5f * width) / width, dy = -0.2f - 0.8f * py / height, t = 0, step = 0.05f;
  int k = 0;
  for (; k < limit; ++k) {
    float x = 3 + dx * t, z = t, y = 2 + dy * t;
    float ground = 0.5f * __sinf(x * 2.1f) * __cosf(z * 1.3f) + 0.25f * __sinf(z * 4.7f);
    if (y < ground) {
      if (step < 1e-3f) break;
      t -= step;
      step *= 0.5f;
    } else {
      t += step;
    }
  }
  out[py * width + px] = t;
}
