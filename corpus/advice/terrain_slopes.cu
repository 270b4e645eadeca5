// How steep a terrain is, from its heights in metres, by Horn's method: eight neighbours, the near ones
// counted twice. The slope is written in steps of `scale`, up to 255. A thread takes a strip of rows.

struct Map {
  int width;
  int height;
  float scale;
};

constexpr int kStrip = 16;

__global__ void terrain_slopes(const short* heights, unsigned char* slopes, Map map) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int first = (blockIdx.y * blockDim.y + threadIdx.y) * kStrip;
  if (x >= map.width || first >= map.height) return;
  int left = max(x - 1, 0);
  int right = min(x + 1, map.width - 1);
  int last = min(first + kStrip, map.height);

  for (int y = first; y < last; ++y) {
    const short* above = heights + max(y - 1, 0) * map.width;
    const short* here = heights + y * map.width;
    const short* below = heights + min(y + 1, map.height - 1) * map.width;
    int a = above[left], b = above[x], c = above[right];
    int d = here[left], f = here[right];
    int g = below[left], h = below[x], i = below[right];

    float east = static_cast<float>((c + 2 * f + i) - (a + 2 * d + g));
    float south = static_cast<float>((g + 2 * h + i) - (a + 2 * b + c));
    float square = east * east + south * south + 1e-6f;
    float steps = map.scale * square * rsqrtf(square);
    slopes[y * map.width + x] = static_cast<unsigned char>(min(static_cast<int>(steps), 255));
  }
}
