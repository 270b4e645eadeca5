// Yields to maturity of a portfolio of bonds, from their market prices: Newton's method on the
// price as a polynomial of the discount per half-year, which is evaluated with its derivative by
// Horner's scheme.

struct Bond {
  float coupon;  // per half-year, of a face value of 1: 0 to 0.05
  float price;
  int payments;
};

// Price at a discount factor, and its derivative.
__device__ __forceinline__ float2 priced(const Bond& bond, float discount) {
  float value = 1.0f + bond.coupon, slope = 0;
  for (int k = bond.payments; k > 1; --k) {
    slope = fmaf(slope, discount, value);
    value = fmaf(value, discount, bond.coupon);
  }
  return make_float2(value * discount, fmaf(slope, discount, value));
}

__global__ void bond_yields(const float* __restrict__ coupons, const float* __restrict__ prices,
                            const int* __restrict__ maturities, float* __restrict__ yields,
                            int bonds, int rounds) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bonds; i += gridDim.x * blockDim.x) {
    Bond bond = {0.05f * coupons[i], 0.8f + 0.4f * prices[i], 2 + maturities[i]};
    float discount = 0.97f;
    for (int round = 0; round < rounds; ++round) {
      float2 now = priced(bond, discount);
      discount -= __fdividef(now.x - bond.price, now.y);
      discount = fminf(fmaxf(discount, 0.7f), 1.05f);
    }
    yields[i] = 2.0f * (__fdividef(1.0f, discount) - 1.0f);
  }
}
