// Bodies that attract each other (kind nbody).

// Tiles of a block's size through shared memory; the tail of the last tile has no mass.
__global__ void nbody_tiled(const float4* __restrict__ bodies, float4* __restrict__ forces, int n) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 force = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += blockDim.x) {
    int k = first + threadIdx.x;
    tile[threadIdx.x] = k < n ? bodies[k] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 64; ++j) {
      float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
      float squared = dx * dx + dy * dy + dz * dz + 0.05f;
      float pull = tile[j].w / (squared * sqrtf(squared));
      force.x += dx * pull;
      force.y += dy * pull;
      force.z += dz * pull;
    }
    __syncthreads();
  }
  if (i < n) forces[i] = make_float4(force.x, force.y, force.z, 1);
}

struct alignas(16) MovingBody {
  double x, y, vx, vy;
};

// Double precision with the tile in dynamic shared memory; positions and velocities are updated.
__global__ void nbody_tiled_dynamic(const MovingBody* __restrict__ bodies,
                                    MovingBody* __restrict__ moved, double step) {
  extern __shared__ MovingBody shared_bodies[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  MovingBody own = bodies[i];
  double fx = 0, fy = 0;
  for (int tile = 0; tile < gridDim.x; ++tile) {
    shared_bodies[threadIdx.x] = bodies[tile * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < blockDim.x; k += 2) {
      double dx = shared_bodies[k].x - own.x, dy = shared_bodies[k].y - own.y;
      double squared = dx * dx + dy * dy + 0.1;
      fx += dx / squared;
      fy += dy / squared;
    }
    __syncthreads();
  }
  moved[i] = MovingBody{own.x + step * own.vx, own.y + step * own.vy, own.vx + step * fx,
                        own.vy + step * fy};
}

// Only near bodies count: the others are skipped in a divergent inner loop.
__global__ void nbody_cutoff(const float2* __restrict__ bodies, float* __restrict__ energy, int n,
                             float cutoff) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 own = bodies[i];
    float sum = 0;
    int near = 0;
    for (int k = 0; k < n; ++k) {
      if (k == i) continue;
      float dx = bodies[k].x - own.x, dy = bodies[k].y - own.y;
      float squared = dx * dx + dy * dy;
      if (squared > cutoff) continue;
      ++near;
      float inverse = 1.0f / (squared + 0.001f);
      for (int power = 0; power < near % 3; ++power) inverse *= 0.5f;
      sum += inverse;
    }
    energy[i] = sum + near;
  }
}

// A list of neighbours per body instead of all pairs.
__global__ void nbody_neighbours(const int* __restrict__ first, const int* __restrict__ neighbour,
                                 const float4* __restrict__ bodies, float* __restrict__ potential,
                                 int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 own = bodies[i];
  float sum = 0;
  for (int e = first[i]; e < first[i + 1]; ++e) {
    int k = neighbour[e];
    if (k == i) continue;
    float4 other = __ldg(&bodies[k]);
    float dx = other.x - own.x, dy = other.y - own.y;
    sum -= other.w * own.w * rsqrtf(dx * dx + dy * dy + 0.01f);
  }
  potential[i] = sum;
}
