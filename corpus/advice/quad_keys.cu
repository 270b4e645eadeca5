// The tiles of a web map in which the positions of many vehicles lie: longitude and latitude are
// projected after Mercator, and the bits of the tile's column and row are interleaved, so that
// tiles that are near each other mostly have near keys.

struct Map {
  float size;       // tiles along a side, a power of two
  float steepest;   // largest sine of a latitude that is on the map
};

// The bits of a number of 16 bits, with a zero after each.
__device__ __forceinline__ unsigned spread(unsigned bits) {
  bits = (bits | bits << 8) & 0x00ff00ffu;
  bits = (bits | bits << 4) & 0x0f0f0f0fu;
  bits = (bits | bits << 2) & 0x33333333u;
  return (bits | bits << 1) & 0x55555555u;
}

__device__ __forceinline__ unsigned tile_of(float share, const Map& map) {
  return __float2uint_rd(fminf(fmaxf(share * map.size, 0.0f), map.size - 1.0f));
}

// Longitudes and latitudes are in turns, from the map's lower left corner.
__global__ void quad_keys(const float* __restrict__ longitudes, const float* __restrict__ latitudes,
                          unsigned* __restrict__ keys, int count, Map map) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sine = __sinf(3.1415927f * (latitudes[i] - 0.5f));
  sine = fminf(fmaxf(sine, -map.steepest), map.steepest);
  float north = 0.07957747f * __logf(__fdividef(1.0f + sine, 1.0f - sine));
  unsigned column = tile_of(longitudes[i], map);
  unsigned row = tile_of(0.5f - north, map);
  keys[i] = spread(column) | spread(row) << 1;
}
