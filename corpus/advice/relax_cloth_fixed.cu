// One step of a cloth of masses on a grid, by Verlet's method: springs go from each mass to the 24
// around it, stretched and bent alike, and pull along the line between the two. The grid has a
// border of two masses, which are held.

constexpr int kReach = 2;

struct Cloth {
  int columns, rows, pitch;  // of the masses that move; pitch counts the border too
  float spacing, stiffness;  // of the springs
  float drag, gravity;       // for a step
};

__device__ __forceinline__ void pull(float4& force, float4 own, float4 other, float rest,
                                     float stiffness) {
  float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
  float length = sqrtf(dx * dx + dy * dy + dz * dz);
  float strength = stiffness * (length - rest);
  float pulled = strength / length;
  force.x += pulled * dx;
  force.y += pulled * dy;
  force.z += pulled * dz;
}

__global__ void __launch_bounds__(256)
    relax_cloth(const float4* __restrict__ masses, const float4* __restrict__ before,
                float4* __restrict__ after, Cloth cloth) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= cloth.columns || row >= cloth.rows) return;
  size_t place = static_cast<size_t>(row + kReach) * cloth.pitch + column + kReach;
  float4 own = masses[place], old = before[place];

  float4 force = {0, 0, -cloth.gravity, 0};
#pragma unroll
  for (int dy = -kReach; dy <= kReach; ++dy) {
#pragma unroll
    for (int dx = -kReach; dx <= kReach; ++dx) {
      if (dx == 0 && dy == 0) continue;
      float rest = cloth.spacing * sqrtf(static_cast<float>(dx * dx + dy * dy));
      pull(force, own, masses[place + dy * cloth.pitch + dx], rest, cloth.stiffness);
    }
  }
  float keep = 1.0f - cloth.drag;
  after[place] = {own.x + keep * (own.x - old.x) + force.x,
                  own.y + keep * (own.y - old.y) + force.y,
                  own.z + keep * (own.z - old.z) + force.z, own.w};
}
