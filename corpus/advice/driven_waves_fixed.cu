// Strings of 128 points each that are pushed from outside at every step: a block per string, the
// points in shared memory.

constexpr int kPoints = 128;

__global__ void __launch_bounds__(kPoints)
    driven_waves(const float* __restrict__ pushes, const float* __restrict__ start,
                 float* __restrict__ end, int steps, float stiffness) {
  __shared__ float points[kPoints];
  int i = threadIdx.x;
  int left = i > 0 ? i - 1 : 0;
  int right = i + 1 < kPoints ? i + 1 : kPoints - 1;
  float here = start[blockIdx.x * kPoints + i];
  float before = here;
  points[i] = here;
  __syncthreads();

  for (int step = 0; step < steps; ++step) {
    float push = pushes[(step * gridDim.x + blockIdx.x) * kPoints + i];
    float bend = points[left] + points[right] - 2.0f * here;
    float pull = stiffness * bend;
#pragma unroll 1
    for (int round = 0; round < 8; ++round) {
      float stretched = 1.0f + 0.01f * pull * pull;
      pull = pull * rsqrtf(stretched);
    }
    __syncthreads();

    float next = 2.0f * here - before + pull + 0.01f * push;
    before = here;
    here = 0.999f * next;
    points[i] = here;
    __syncthreads();
  }
  end[blockIdx.x * kPoints + i] = here;
}
