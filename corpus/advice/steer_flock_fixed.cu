// One step of a flock of birds, which were sorted into square cells of 64: each sees those of its
// own and the eight cells around, keeps away from near ones and turns to where the others fly. The
// cells wrap around. One cell a block, one bird a thread.

constexpr int kBirds = 64;  // of a cell

struct Habits {
  float reach, room;      // how far a bird sees, and how much room it wants; squared
  float apart, together;  // how it weighs the two
  float step;
};

struct Seen {
  float away_x = 0, away_y = 0, fly_x = 0, fly_y = 0, birds = 0;
};

__device__ __forceinline__ void see(Seen& seen, float4 bird, float4 other, const Habits& habits) {
  float dx = bird.x - other.x, dy = bird.y - other.y;
  float squared = dx * dx + dy * dy;
  float near = squared < habits.room ? 1.0f - squared / habits.room : 0.0f;
  float counts = squared < habits.reach ? 1.0f : 0.0f;
  seen.away_x += near * dx;
  seen.away_y += near * dy;
  seen.fly_x += counts * other.z;
  seen.fly_y += counts * other.w;
  seen.birds += counts;
}

__global__ void __launch_bounds__(kBirds)
    steer_flock(const float4* __restrict__ before, float4* __restrict__ after, Habits habits) {
  __shared__ float4 birds[kBirds];
  int columns = gridDim.x, rows = gridDim.y;
  int place = (blockIdx.y * columns + blockIdx.x) * kBirds + threadIdx.x;
  float4 bird = before[place];  // x and y in its cell, and how it flies
  Seen seen;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      int column = (blockIdx.x + dx + columns) % columns, row = (blockIdx.y + dy + rows) % rows;
      const float4* cell = before + (row * columns + column) * kBirds;
      float4 here = {bird.x - dx, bird.y - dy, bird.z, bird.w};
      __syncthreads();
      birds[threadIdx.x] = cell[threadIdx.x];
      __syncthreads();
      for (int k = 0; k < kBirds; ++k) see(seen, here, birds[k], habits);
    }
  }
  float share = habits.together / fmaxf(seen.birds, 1.0f);
  bird.z += habits.step * (habits.apart * seen.away_x + share * seen.fly_x);
  bird.w += habits.step * (habits.apart * seen.away_y + share * seen.fly_y);
  bird.x += habits.step * bird.z;
  bird.y += habits.step * bird.w;
  after[place] = bird;
}
