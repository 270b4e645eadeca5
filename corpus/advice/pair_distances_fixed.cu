// The smallest distance on a line from each query to any of many points, which go through shared
// memory tile by tile.

constexpr int kTile = 128;

__global__ void __launch_bounds__(kTile)
    pair_distances(const float* __restrict__ points, const float* __restrict__ queries,
                   float* __restrict__ smallest, int query_count, int point_count) {
  __shared__ float tile[kTile];
  int query = blockIdx.x * kTile + threadIdx.x;
  float place = query < query_count ? queries[query] : 0.0f;
  float near[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) near[k] = 1e30f;

  float fetched = points[threadIdx.x];
  for (int base = 0; base < point_count; base += kTile) {
    tile[threadIdx.x] = fetched;
    __syncthreads();
    if (base + kTile < point_count) fetched = points[base + kTile + threadIdx.x];
#pragma unroll
    for (int j = 0; j < kTile; j += 4) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        float distance = fabsf(tile[j + k] - place);
        near[k] = fminf(near[k], distance);
      }
    }
    __syncthreads();
  }

  float least = fminf(near[0], near[1]);
  least = fminf(least, near[2]);
  least = fminf(least, near[3]);
  if (query < query_count) smallest[query] = least;
}
