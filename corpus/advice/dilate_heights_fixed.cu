// Grey dilation of a height map by a ball (the map that a probe of finite tip would measure): at
// each place the highest of heights plus the ball's own height there. The ball comes as a square
// table with a pad of the same reach around the map.

struct Map {
  int width, height, pitch;
};

__device__ __forceinline__ bool within(const Map& map, int x, int y) {
  return x < map.width && y < map.height;
}

template <typename T>
__device__ __forceinline__ T highest_at(const T* heights, const T* ball, const Map& map, int side,
                                        int x, int y, T floor) {
  T highest = floor;

  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      T there = heights[(y + row) * map.pitch + x + column];
      T tip = ball[row * side + column];
      highest = max(highest, there + tip);
    }
  }
  return highest;
}

__global__ void dilate_heights(const float* __restrict__ heights, const float* __restrict__ ball,
                               float* __restrict__ dilated, Map map, int side, float floor) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!within(map, x, y)) return;
  float highest = highest_at(heights, ball, map, side, x, y, floor);
  float own = heights[(y + side / 2) * map.pitch + x + side / 2];
  dilated[y * map.width + x] = fmaxf(highest, own);
}
