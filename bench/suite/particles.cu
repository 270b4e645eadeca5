// Molecular dynamics in cells: particles are binned, and each acts on those of the 27 cells around it.
#include "common.cuh"

constexpr int kSide = 24, kCells = kSide * kSide * kSide, kRoom = 32;

__global__ void bin(const float4* places, int* counts, int* members, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = places[i];
  const int x = min(kSide - 1, int(p.x * kSide)), y = min(kSide - 1, int(p.y * kSide));
  const int z = min(kSide - 1, int(p.z * kSide));
  const int cell = (z * kSide + y) * kSide + x;
  const int slot = atomicAdd(&counts[cell], 1);
  if (slot < kRoom) members[cell * kRoom + slot] = i;
}

__global__ void forces(const float4* places, float4* pushes, const int* counts, const int* members) {
  __shared__ float4 others[kRoom];
  const int cell = blockIdx.x;
  const int cx = cell % kSide, cy = cell / kSide % kSide, cz = cell / kSide / kSide;
  const int mine = min(counts[cell], kRoom), t = threadIdx.x;
  const int me = t < mine ? members[cell * kRoom + t] : -1;
  const float4 p = me >= 0 ? places[me] : make_float4(0, 0, 0, 0);
  float4 sum = make_float4(0, 0, 0, 0);
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int x = cx + dx, y = cy + dy, z = cz + dz;
        if (x < 0 || y < 0 || z < 0 || x >= kSide || y >= kSide || z >= kSide) continue;
        const int other = (z * kSide + y) * kSide + x;
        const int count = min(counts[other], kRoom);
        __syncthreads();
        if (t < count) others[t] = places[members[other * kRoom + t]];
        __syncthreads();
        for (int j = 0; j < count; ++j) {
          const float ax = p.x - others[j].x, ay = p.y - others[j].y, az = p.z - others[j].z;
          const float r2 = ax * ax + ay * ay + az * az + 1e-6f;
          if (r2 < 1.0f / (kSide * kSide)) {
            const float i2 = 1.0f / r2, i6 = i2 * i2 * i2 * 1e-18f;
            const float f = (2 * i6 - 1) * i6 * i2;
            sum.x += f * ax, sum.y += f * ay, sum.z += f * az, sum.w += i6;
          }
        }
      }
  if (me >= 0) pushes[me] = sum;
}

__global__ void move_particles(float4* places, float4* speeds, const float4* pushes, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = speeds[i], p = places[i];
  const float4 f = pushes[i];
  v.x += f.x * dt, v.y += f.y * dt, v.z += f.z * dt;
  p.x = __saturatef(p.x + v.x * dt), p.y = __saturatef(p.y + v.y * dt);
  p.z = __saturatef(p.z + v.z * dt);
  speeds[i] = v, places[i] = p;
}

int main() {
  const int n = kCells * 12;
  Random random{5};
  std::vector<float4> start(n);
  for (float4& p : start) p = make_float4(random.uniform(), random.uniform(), random.uniform(), 1);
  float4* places = upload(start);
  float4* speeds = zeros<float4>(n);
  float4* pushes = zeros<float4>(n);
  int* counts = zeros<int>(kCells);
  int* members = zeros<int>(kCells * kRoom);
  for (int step = 0; step < 3; ++step) {
    CHECK(cudaMemset(counts, 0, kCells * sizeof(int)));
    bin<<<(n + 255) / 256, 256>>>(places, counts, members, n);
    forces<<<kCells, kRoom>>>(places, pushes, counts, members);
    move_particles<<<(n + 255) / 256, 256>>>(places, speeds, pushes, n, 1e-4f);
  }
  return finish();
}
