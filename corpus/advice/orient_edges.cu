// Orientation of the edges in a picture, as a descriptor of its texture: the gradient of each pixel
// by Sobel's operator votes for one of 64 directions, with its strength. Weak gradients do not
// vote.

struct Picture {
  int width, height;
  int weakest;  // gradient that votes
};

// The direction of a gradient, 0 to 63 for a whole turn, by octants and a comparison of slopes.
__device__ __forceinline__ int direction_of(int gx, int gy) {
  int ax = abs(gx), ay = abs(gy);
  int large = max(ax, ay), small = min(ax, ay);
  int within = small * 8 / (large + 1);  // 0 to 7 in the octant
  int octant = (gy < 0) << 2 | (gx < 0) << 1 | (ay > ax);
  return octant * 8 + within;
}

__global__ void __launch_bounds__(256)
    orient_edges(const unsigned char* __restrict__ pixels, unsigned* __restrict__ votes,
                 unsigned char* __restrict__ strengths, Picture picture) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= picture.width - 1 || y >= picture.height - 1) return;
  const unsigned char* middle = pixels + static_cast<size_t>(y) * picture.width + x;
  const unsigned char *above = middle - picture.width, *below = middle + picture.width;
  int gx = above[1] + 2 * middle[1] + below[1] - above[-1] - 2 * middle[-1] - below[-1];
  int gy = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
  int strength = abs(gx) + abs(gy);
  strengths[static_cast<size_t>(y) * picture.width + x] = static_cast<unsigned char>(strength / 8);
  if (strength >= picture.weakest) atomicAdd(&votes[direction_of(gx, gy)], strength);
}
