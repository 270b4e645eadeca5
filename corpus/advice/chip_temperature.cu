// A step of the temperature on a chip: heat flows between neighbours, to the surroundings, and
// comes from the power of each place.

__global__ void chip_temperature(const float* __restrict__ power, const float* __restrict__ before,
                                 float* __restrict__ after, int width, int height, float along_x,
                                 float along_y, float upward, float step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;

  int west = x > 0 ? i - 1 : i;
  int east = x + 1 < width ? i + 1 : i;
  int north = y > 0 ? i - width : i;
  int south = y + 1 < height ? i + width : i;
  float here = before[i];

  float flow = 0;
  for (int part = 0; part < 4; ++part) {
    float share = 0.25f + 0.01f * static_cast<float>(part);
    flow += share * along_x * (before[east] + before[west] - 2.0 * here);
    flow += share * along_y * (before[south] + before[north] - 2.0 * here);
    flow += share * upward * (80.0 - here);
  }

  float heating = power[i];
  if (heating < 0) {
    heating = 0;
  }
  float change = step * (heating + flow);
  float limit = 10.0f;
  change = fminf(fmaxf(change, -limit), limit);
  after[i] = here + change;
}
