// What savers in different funds have after many years, and how often they fell below a floor, with
// months drawn at random from history. A warp is a scenario and its lanes are the funds, which all
// see the same months.

struct Draw {
  unsigned left, right;
};

// A small cipher of as many rounds as the caller trusts.
__device__ __forceinline__ Draw drawn(Draw draw, unsigned key, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    unsigned mixed = (draw.right ^ key) * 0x9e3779b1u + r;
    mixed ^= mixed >> 15;
    mixed *= 0x85ebca6bu;
    unsigned turned = draw.left ^ mixed ^ mixed >> 13;
    draw.left = draw.right;
    draw.right = turned;
  }
  return draw;
}

__global__ void bootstrap_wealth(const float* __restrict__ history, float* __restrict__ wealths,
                                 int* __restrict__ shortfalls, int scenarios, int months,
                                 unsigned month_mask, int rounds, float deposit, float floor) {
  int saver = blockIdx.x * blockDim.x + threadIdx.x;
  int scenario = saver / 32, fund = saver % 32;
  if (scenario >= scenarios) return;

  float wealth = 1.0f;
  int short_months = 0;
  Draw draw{static_cast<unsigned>(scenario), 0u};
  draw = drawn(draw, 0x2545f491u, rounds);
  for (int month = 0; month < months; ++month) {
    float change = history[(draw.right & month_mask) * 32 + fund];
    draw = drawn(draw, month, rounds);
    wealth = wealth * (0.953f + 0.1f * change) + deposit;
    if (wealth < floor) ++short_months;
  }

  wealths[saver] = wealth;
  shortfalls[saver] = short_months;
}
