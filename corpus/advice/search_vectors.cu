// The nearest vector of a database for each of 128 queries, by the inner product. The database is
// cut into shards, one a block, and comes by in tiles; a thread keeps its query in registers. The
// caller takes the best of all shards.

constexpr int kDim = 32, kTile = 32, kThreads = 128;
constexpr int kQuads = kDim / 4, kEach = kTile * kQuads / kThreads;

struct Match {
  float score;
  int vector;
};

__device__ __forceinline__ void load_tile(float4 (&tile)[kTile * kQuads], const float4* vectors) {
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    int place = k * kThreads + threadIdx.x;
    tile[place] = vectors[place];
  }
}

__device__ __forceinline__ float product(const float4 (&query)[kQuads], const float4* vector) {
  float sum = 0;
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
    float4 other = vector[q];
    sum += query[q].x * other.x + query[q].y * other.y + query[q].z * other.z +
           query[q].w * other.w;
  }
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    search_vectors(const float4* __restrict__ queries, const float4* __restrict__ database,
                   Match* __restrict__ matches, int shard) {
  __shared__ float4 tile[kTile * kQuads];
  float4 query[kQuads];
#pragma unroll
  for (int q = 0; q < kQuads; ++q) query[q] = queries[threadIdx.x * kQuads + q];

  int first = blockIdx.x * shard;
  Match best = {-1e30f, -1};
  for (int start = first; start < first + shard; start += kTile) {
    __syncthreads();
    load_tile(tile, database + static_cast<long long>(start) * kQuads);
    __syncthreads();
    for (int v = 0; v < kTile; ++v) {
      float score = product(query, &tile[v * kQuads]);
      if (score > best.score) best = {score, start + v};
    }
  }
  matches[blockIdx.x * kThreads + threadIdx.x] = best;
}
