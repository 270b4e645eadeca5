// The squared distances from each query to its eight nearest points, in order.

constexpr int kNearest = 8;
constexpr int kTile = 128;

__global__ void nearest_points(const float* __restrict__ queries, const float* __restrict__ points,
                               float* __restrict__ distances, int query_count, int point_count) {
  __shared__ float tile[3 * kTile];
  int query = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0, y = 0, z = 0;
  if (query < query_count) {
    x = queries[query];
    y = queries[query_count + query];
    z = queries[2 * query_count + query];
  }
  float best[kNearest];
  for (int k = 0; k < kNearest; ++k) best[k] = 1e30f;

  for (int base = 0; base < point_count; base += kTile) {
    for (int k = threadIdx.x; k < 3 * kTile; k += blockDim.x) tile[k] = points[3 * base + k];
    __syncthreads();
    for (int j = 0; j < kTile; ++j) {
      float dx = tile[3 * j] - x;
      float dy = tile[3 * j + 1] - y;
      float dz = tile[3 * j + 2] - z;
      float d = dx * dx + dy * dy + dz * dz;
      if (d < best[kNearest - 1]) {
#pragma unroll
        for (int k = kNearest - 1; k > 0; --k) {
          best[k] = best[k - 1] > d ? best[k - 1] : fminf(best[k], d);
        }
        best[0] = fminf(best[0], d);
      }
    }
    __syncthreads();
  }

  if (query < query_count) {
    for (int k = 0; k < kNearest; ++k) distances[k * query_count + query] = best[k];
  }
}
