// Seams for resizing a picture: the cheapest path from the top to each pixel, row by row. The cost
// of a pixel is its contrast with the one above. A block takes 256 columns, of which the outer ones
// are only there for the others: each row invalidates one more on either side.

constexpr int kThreads = 256;
constexpr int kAhead = 4;  // rows that are loaded ahead; the number of rows is a multiple

// Brightness and colour both count, the less the more transparent the pixels are.
__device__ __forceinline__ int contrast(uchar4 a, uchar4 b) {
  int red = a.x - b.x, green = a.y - b.y, blue = a.z - b.z;
  int brightness = abs(77 * red + 151 * green + 28 * blue) / 256;
  int yellow = abs(red + green - 2 * blue), magenta = abs(red + blue - 2 * green);
  int colour = max(yellow, magenta) + min(yellow, magenta) / 2;
  int opaque = a.w * b.w;
  return (opaque * (2 * brightness + colour) >> 16) + abs(a.w - b.w) / 8 + 1;
}

// Rows of `pitch` pixels, the first one above what is computed; `rows` columns on both sides are
// read but not computed.
__global__ void __launch_bounds__(kThreads)
    cheapest_seam(const uchar4* __restrict__ pixels, const int* __restrict__ before,
                  int* __restrict__ costs, signed char* __restrict__ turns, int rows, int pitch) {
  __shared__ int cost[2][kThreads + 2];
  int t = threadIdx.x;
  int column = blockIdx.x * (kThreads - 2 * rows) + t;
  bool computed = t >= rows && t < kThreads - rows;
  cost[0][t + 1] = before[column];
  if (t < 2) cost[t][0] = cost[t][kThreads + 1] = 1 << 30;
  uchar4 above = pixels[column], ahead[kAhead];
#pragma unroll
  for (int k = 0; k < kAhead; ++k) ahead[k] = pixels[static_cast<size_t>(k + 1) * pitch + column];
  __syncthreads();
  for (int first = 1; first <= rows; first += kAhead) {
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      int row = first + k;
      uchar4 pixel = ahead[k];
      ahead[k] = pixels[static_cast<size_t>(min(row + kAhead, rows)) * pitch + column];
      const int* last = cost[(row - 1) % 2];
      int left = last[t], way = last[t + 1], right = last[t + 2];
      int turn = left < way ? -1 : 0;
      way = min(way, left);
      turn = right < way ? 1 : turn;
      way = min(way, right);
      size_t place = static_cast<size_t>(row) * pitch + column;
      cost[row % 2][t + 1] = way + contrast(pixel, above);
      if (computed) turns[place] = static_cast<signed char>(turn);
      above = pixel;
      __syncthreads();
    }
  }
  if (computed) costs[column] = cost[rows % 2][t + 1];
}
