// Hand-written: one warp per option, the 256 nodes of a level in registers (8 per lane), the neighbour's by a shuffle.
// Stock prices are multiplied by u from level to level instead of calling powf. When the tree has narrowed to half the
// nodes, they are distributed over the lanes anew, so that lanes do not idle.
#include <cuda_runtime.h>

namespace {
constexpr int kSteps = 255, kWarps = 4;

struct Option {
  float spot, strike, exponent, up, weight_up, weight_down;  // u = exp(exponent); weights are discounted
};

__device__ __forceinline__ float stock(const Option &option, int level, int node) {
  return option.spot * expf(option.exponent * (2 * node - level));
}

// From level `from`, of at most 32 · kNodes nodes, down to level `to`; lane l has the nodes l · kNodes and following.
template <int kNodes>
__device__ __forceinline__ void descend(const Option &option, float (&value)[kNodes], int from, int to) {
  const int lane = threadIdx.x % 32;
  float price[kNodes];
#pragma unroll
  for (int k = 0; k < kNodes; ++k) price[k] = stock(option, from, lane * kNodes + k);
#pragma unroll 4
  for (int level = from; level > to; --level) {
    const float next = __shfl_down_sync(~0u, value[0], 1);
#pragma unroll
    for (int k = 0; k < kNodes; ++k) {
      price[k] *= option.up;
      const float above = k + 1 < kNodes ? value[k + 1] : next;
      value[k] = fmaxf(option.weight_up * above + option.weight_down * value[k], option.strike - price[k]);
    }
  }
}

// Gives every lane half as many nodes; the upper half of the nodes is no longer needed.
template <int kNodes>
__device__ __forceinline__ void narrow(float *nodes, const float (&value)[kNodes], float (&half)[kNodes / 2]) {
  const int lane = threadIdx.x % 32;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kNodes; ++k) nodes[lane * kNodes + k] = value[k];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kNodes / 2; ++k) half[k] = nodes[lane * (kNodes / 2) + k];
}

__global__ void __launch_bounds__(kWarps * 32)
    evaluate(const float *__restrict__ spot, const float *__restrict__ strike, const float *__restrict__ volatility,
             float *__restrict__ result, int options, float rate, float years) {
  __shared__ float nodes[kWarps][kSteps + 1];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, index = blockIdx.x * kWarps + warp;
  if (index >= options) return;
  Option option;
  option.spot = spot[index];
  option.strike = strike[index];
  const float dt = years / kSteps;
  option.exponent = (0.1f + 0.4f * volatility[index]) * sqrtf(dt);
  option.up = expf(option.exponent);
  const float down = 1.0f / option.up, p = (expf(rate * dt) - down) / (option.up - down), discount = expf(-rate * dt);
  option.weight_up = discount * p;
  option.weight_down = discount * (1.0f - p);

  float eight[8], four[4], two[2], one[1];
#pragma unroll
  for (int k = 0; k < 8; ++k) eight[k] = fmaxf(option.strike - stock(option, kSteps, lane * 8 + k), 0.0f);
  descend(option, eight, 255, 127);  // level 127 has 128 nodes
  narrow(nodes[warp], eight, four);
  descend(option, four, 127, 63);
  narrow(nodes[warp], four, two);
  descend(option, two, 63, 31);
  narrow(nodes[warp], two, one);
  descend(option, one, 31, 0);
  if (lane == 0) result[index] = one[0];
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *spot = *(const float **)arguments[0], *strike = *(const float **)arguments[1];
  const float *volatility = *(const float **)arguments[2];
  float *price = *(float **)arguments[3];
  const int options = *(int *)arguments[4];
  const float rate = *(float *)arguments[5], years = *(float *)arguments[6];
  evaluate<<<(options + kWarps - 1) / kWarps, kWarps * 32, 0, stream>>>(spot, strike, volatility, price, options, rate,
                                                                      years);
}
