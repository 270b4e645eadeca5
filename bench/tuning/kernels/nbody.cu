// Accelerations of n bodies by n other bodies that are `offset` further along each axis. A body has
// x, y, z and a mass; the acceleration's fourth component is 0.
//
// A block computes block_size_x · bodies_per_thread accelerations.
//   split_j        threads that share a body: each takes every split_j-th source
//   tile_j         sources per tile
//   unroll_j       unroll factor of the loop over a tile
//   use_shared     1: the tile is copied to shared memory
//   fast_inverse   1: rsqrtf, 0: 1 / sqrtf
#ifndef block_size_x
#define block_size_x 128
#define bodies_per_thread 2
#define split_j 1
#define tile_j 256
#define unroll_j 4
#define use_shared 1
#define fast_inverse 1
#endif

constexpr int kThreads = block_size_x * split_j;
constexpr int kBodies = block_size_x * bodies_per_thread;
constexpr int kUnroll = unroll_j;
constexpr float kSoftening = 0.01f;

__device__ float inverse_distance(float squared) {
#if fast_inverse
  return rsqrtf(squared);
#else
  return 1.0f / sqrtf(squared);
#endif
}

extern "C" __global__ void __launch_bounds__(kThreads)
    nbody(const float4* __restrict__ sources, const float4* __restrict__ bodies,
          float4* __restrict__ accelerations, int n, float offset) {
#if use_shared
  __shared__ float4 tile[tile_j];
#endif
  int first = blockIdx.x * kBodies + threadIdx.x;
  // Beyond the last source: one without mass.
  auto source = [&](int j) { return j < n ? sources[j] : make_float4(0, 0, 0, 0); };

  float3 at[bodies_per_thread];
  float3 sum[bodies_per_thread];
#pragma unroll
  for (int i = 0; i < bodies_per_thread; ++i) {
    float4 body = bodies[min(first + i * block_size_x, n - 1)];
    at[i] = make_float3(body.x - offset, body.y - offset, body.z - offset);
    sum[i] = make_float3(0, 0, 0);
  }

  for (int first_j = 0; first_j < n; first_j += tile_j) {
#if use_shared
    int thread = threadIdx.y * block_size_x + threadIdx.x;
    for (int j = thread; j < tile_j; j += kThreads) tile[j] = source(first_j + j);
    __syncthreads();
#endif
#pragma unroll kUnroll
    for (int k = 0; k < tile_j / split_j; ++k) {
      int j = k * split_j + threadIdx.y;
#if use_shared
      float4 other = tile[j];
#else
      float4 other = source(first_j + j);
#endif
#pragma unroll
      for (int i = 0; i < bodies_per_thread; ++i) {
        float dx = other.x - at[i].x;
        float dy = other.y - at[i].y;
        float dz = other.z - at[i].z;
        float inverse = inverse_distance(dx * dx + dy * dy + dz * dz + kSoftening);
        float scale = other.w * inverse * inverse * inverse;
        sum[i].x += dx * scale;
        sum[i].y += dy * scale;
        sum[i].z += dz * scale;
      }
    }
#if use_shared
    __syncthreads();
#endif
  }

#if split_j > 1
  __shared__ float3 partial[split_j - 1][kBodies];
  if (threadIdx.y > 0) {
#pragma unroll
    for (int i = 0; i < bodies_per_thread; ++i) {
      partial[threadIdx.y - 1][threadIdx.x + i * block_size_x] = sum[i];
    }
  }
  __syncthreads();
  if (threadIdx.y > 0) return;
#pragma unroll
  for (int i = 0; i < bodies_per_thread; ++i) {
    for (int s = 0; s < split_j - 1; ++s) {
      float3 part = partial[s][threadIdx.x + i * block_size_x];
      sum[i].x += part.x;
      sum[i].y += part.y;
      sum[i].z += part.z;
    }
  }
#endif
#pragma unroll
  for (int i = 0; i < bodies_per_thread; ++i) {
    int body = first + i * block_size_x;
    if (body < n) accelerations[body] = make_float4(sum[i].x, sum[i].y, sum[i].z, 0);
  }
}

// One thread per body, 128 threads.
extern "C" __global__ void nbody_reference(const float4* sources, const float4* bodies,
                                           float4* accelerations, int n, float offset) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float4 body = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; ++j) {
    float4 other = sources[j];
    float dx = other.x - (body.x - offset);
    float dy = other.y - (body.y - offset);
    float dz = other.z - (body.z - offset);
    float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
    float scale = other.w * inverse * inverse * inverse;
    ax += dx * scale;
    ay += dy * scale;
    az += dz * scale;
  }
  accelerations[i] = make_float4(ax, ay, az, 0);
}
