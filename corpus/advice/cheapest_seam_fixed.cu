// Seams for resizing a picture: the cheapest path from the top to each pixel, row by row. The cost
// of a pixel is its contrast with the one above. A block takes 256 columns, of which the outer ones
// are only there for the others: each row invalidates one more on either side.

constexpr int kThreads = 256;

__device__ __forceinline__ float contrast(float4 a, float4 b) {
  float red = a.x - b.x, green = a.y - b.y, blue = a.z - b.z;
  float brightness = 0.3f * red + 0.6f * green + 0.1f * blue;
  float colour = sqrtf(red * red + green * green + blue * blue);
  float opaque = a.w * b.w;
  return opaque * (fabsf(brightness) + 0.5f * colour) + 0.1f * fabsf(a.w - b.w) + 0.01f;
}

// Rows of `pitch` pixels, the first one above what is computed; `rows` columns on both sides are
// read but not computed.
__global__ void __launch_bounds__(kThreads)
    cheapest_seam(const float4* __restrict__ pixels, const float* __restrict__ before,
                  float* __restrict__ costs, signed char* __restrict__ turns, int rows, int pitch) {
  __shared__ float cost[2][kThreads + 2];
  int t = threadIdx.x;
  int column = blockIdx.x * (kThreads - 2 * rows) + t;
  bool computed = t >= rows && t < kThreads - rows;
  cost[0][t + 1] = before[column];
  if (t < 2) cost[t][0] = cost[t][kThreads + 1] = INFINITY;
  float4 above = pixels[column], ahead = pixels[pitch + column];
  __syncthreads();
  for (int row = 1; row <= rows; ++row) {
    float4 pixel = ahead;
    int below = min(row + 1, rows);
    ahead = pixels[static_cast<size_t>(below) * pitch + column];
    const float* last = cost[(row - 1) % 2];
    float left = last[t], way = last[t + 1], right = last[t + 2];
    int turn = left < way ? -1 : 0;
    way = fminf(way, left);
    turn = right < way ? 1 : turn;
    way = fminf(way, right);
    size_t place = static_cast<size_t>(row) * pitch + column;
    cost[row % 2][t + 1] = way + contrast(pixel, above);
    if (computed) turns[place] = static_cast<signed char>(turn);
    above = pixel;
    __syncthreads();
  }
  if (computed) costs[column] = cost[rows % 2][t + 1];
}
