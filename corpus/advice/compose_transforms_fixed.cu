// The world matrix of every joint of a crowd of animated figures: that of its parent times its own,
// scaled to the figure's size. All of a level of the skeletons is done at once: joint j of a figure
// hangs on joint j / 2 of the level above. Matrices are of 4 × 4, row by row.

constexpr int kSide = 4, kCells = kSide * kSide;

struct Level {
  int joints;   // of a figure, on this level; the level above has half of them
  int figures;
  float unit;   // lengths are in units of this
};

__device__ __forceinline__ float cell(const float* parent, const float* own, int row, int column) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kSide; ++k) sum += parent[row * kSide + k] * own[k * kSide + column];
  return sum;
}

__global__ void compose_transforms(const float* __restrict__ parents,
                                   const float* __restrict__ owns,
                                   const float* __restrict__ sizes, float* __restrict__ worlds,
                                   Level level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int joint = thread / kCells;
  if (joint >= level.joints * level.figures) return;
  int figure = joint / level.joints;
  const float* parent = parents + static_cast<size_t>(joint / 2) * kCells;
  const float* own = owns + static_cast<size_t>(joint) * kCells;
  float* world = worlds + static_cast<size_t>(joint) * kCells;
  float size = sizes[figure] * level.unit;

  int row = thread % kCells / kSide, column = thread % kSide;
  float value = cell(parent, own, row, column);
  bool is_shift = column == kSide - 1 && row < kSide - 1;
  world[row * kSide + column] = is_shift ? value * size : value;
}
