// Moving averages of prices for charts, weighted so that the newest counts most: a thread follows
// an instrument from day to day and keeps the last days in a line. Besides the averages, it counts
// the days on which the price crosses its average.

constexpr int kSpan = 12;  // days

struct Crossings {
  int up, down;
};

__device__ __forceinline__ float weight_of(int age) {
  return static_cast<float>(kSpan - age) * (2.0f / (kSpan * (kSpan + 1)));
}

// Prices and averages lie day by day.
__global__ void rolling_averages(const float* __restrict__ prices, float* __restrict__ averages,
                                 Crossings* __restrict__ crossings, int instruments, int days) {
  int instrument = blockIdx.x * blockDim.x + threadIdx.x;
  if (instrument >= instruments) return;
  float line[kSpan];
  float first = prices[instrument];
#pragma unroll
  for (int k = 0; k < kSpan; ++k) line[k] = first;

  bool above = false;
  Crossings found = {0, 0};
  for (int day = 0; day < days; ++day) {
    size_t place = static_cast<size_t>(day) * instruments + instrument;
    float price = prices[place];
#pragma unroll
    for (int age = kSpan - 1; age > 0; --age) line[age] = line[age - 1];
    line[0] = price;
    float average = 0;
#pragma unroll
    for (int age = 0; age < kSpan; ++age) {
      average += weight_of(age) * line[age];
    }
    averages[place] = average;
    bool now = price > average;
    if (now && !above) ++found.up;
    if (!now && above) ++found.down;
    above = now;
  }
  crossings[instrument] = found;
}
