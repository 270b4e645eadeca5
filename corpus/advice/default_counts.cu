// The risk of many loan portfolios, each in a scenario of its own: how likely it is that no, one,
// two, ... of its loans default, given the chance of each. Loan by loan the distribution of the
// count is brought up to date. A thread has a portfolio; the chances of the first loans of all
// portfolios lie side by side, then those of the second ones, and so on.

constexpr int kMostLoans = 24;

struct Risk {
  float scale;  // of the chances, by the scenario
  int limit;    // from how many defaults on the bank is in trouble
};

__device__ __forceinline__ float chance_of(const float* chances, int portfolios, int loan,
                                           const Risk& risk) {
  return risk.scale * chances[loan * portfolios];
}

__global__ void __launch_bounds__(256)
    default_counts(const float* __restrict__ chances, float* __restrict__ troubles,
                   float* __restrict__ spared, int portfolios, int loans, Risk risk) {
  int portfolio = blockIdx.x * blockDim.x + threadIdx.x;
  if (portfolio >= portfolios) return;

  float likely[kMostLoans + 1] = {1.0f};
  for (int loan = 0; loan < loans; ++loan) {
    float chance = chance_of(chances + portfolio, portfolios, loan, risk);
    for (int count = loan + 1; count > 0; --count) {
      likely[count] += chance * (likely[count - 1] - likely[count]);
    }
    likely[0] -= chance * likely[0];
  }

  float trouble = 0.0f;
#pragma unroll
  for (int count = 0; count <= kMostLoans; ++count) {
    trouble += count >= risk.limit ? likely[count] : 0.0f;
  }
  troubles[portfolio] = trouble;
  spared[portfolio] = likely[0];
}
