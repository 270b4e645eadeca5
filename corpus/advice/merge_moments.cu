// Mean, variance, skewness and kurtosis of the readings of many sensors, a block for each: threads
// take some readings, one by one, and then what they have is merged by pairs, as Chan's and Pébay's
// formulas say, which lose no digits.

constexpr int kThreads = 256;

struct Moments {
  float count, mean, second, third, fourth;
};

__device__ __forceinline__ Moments merged(const Moments& a, const Moments& b) {
  float count = a.count + b.count;
  float delta = b.mean - a.mean, step = delta / count;
  float part = step * step, both = a.count * b.count;
  Moments sum = {count, a.mean + step * b.count};
  sum.second = a.second + b.second + delta * step * both;
  sum.third = a.third + b.third + delta * part * both * (a.count - b.count) +
              3.0f * step * (a.count * b.second - b.count * a.second);
  float squares = a.count * a.count - both + b.count * b.count;
  sum.fourth = a.fourth + b.fourth + delta * step * part * both * squares +
               6.0f * part * (a.count * a.count * b.second + b.count * b.count * a.second) +
               4.0f * step * (a.count * b.third - b.count * a.third);
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    merge_moments(const float* __restrict__ readings, float4* __restrict__ results, int each) {
  __shared__ Moments all[kThreads];
  int t = threadIdx.x;
  const float* own = readings + static_cast<size_t>(blockIdx.x) * each * kThreads;
  Moments moments = {1.0f, own[t]};
  for (int k = 1; k < each; ++k) moments = merged(moments, {1.0f, own[k * kThreads + t]});
  all[t] = moments;
  __syncthreads();

  for (int away = 1; away < kThreads; away *= 2) {
    if (t % (2 * away) == 0) all[t] = merged(all[t], all[t + away]);
    __syncthreads();
  }
  if (t == 0) {
    Moments sum = all[0];
    float variance = sum.second / sum.count, spread = sqrtf(variance);
    results[blockIdx.x] = {sum.mean, variance, sum.third / (sum.count * variance * spread),
                           sum.fourth / (sum.count * variance * variance)};
  }
}
