// Where two species of trees stand, for Ripley's cross-K function: how many trees of the second species
// there are within each of four distances of every tree of the first.

struct Radii {
  float r[4];
};

__global__ void ripley_counts(const float2* __restrict__ firsts, const float2* __restrict__ seconds,
                              uint4* __restrict__ counts, int first_count, int second_count,
                              Radii radii) {
  int tree = blockIdx.x * blockDim.x + threadIdx.x;
  if (tree >= first_count) return;
  float2 here = firsts[tree];
  uint4 within = make_uint4(0, 0, 0, 0);

#pragma unroll 4
  for (int other = 0; other < second_count; ++other) {
    float2 there = seconds[other];
    float dx = there.x - here.x;
    float dy = there.y - here.y;
    float square = dx * dx + dy * dy;
    if (square < radii.r[0] * radii.r[0]) ++within.x;
    if (square < radii.r[1] * radii.r[1]) ++within.y;
    if (square < radii.r[2] * radii.r[2]) ++within.z;
    if (square < radii.r[3] * radii.r[3]) ++within.w;
  }
  counts[tree] = within;
}
