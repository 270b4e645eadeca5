// What receivers hear of events: those of an epoch hear all events up to it, by their distances. A
// block serves `each` epochs, with 1024 receivers and `rate` events each.

constexpr int kReceivers = 1024;

__global__ void __launch_bounds__(kReceivers)
    past_events(const float2* __restrict__ events, const float* __restrict__ receivers,
                float* __restrict__ loudness, float* __restrict__ nearest, int rate, int each) {
  __shared__ float2 tile[kReceivers];
  for (int k = 0; k < each; ++k) {
    int epoch = blockIdx.x * each + k;
    int receiver = epoch * kReceivers + threadIdx.x;
    int last = (epoch + 1) * rate - 1;
    float place = receivers[receiver];
    float sum = 0;
    float least = 1e30f;

    for (int base = 0; base <= last; base += kReceivers) {
      if (base + threadIdx.x <= last) {
        tile[threadIdx.x] = events[base + threadIdx.x];
      }
      __syncthreads();
      int count = min(kReceivers, last - base + 1);
#pragma unroll 8
      for (int j = 0; j < count; ++j) {
        float away = place - tile[j].x;
        float squared = away * away;
        least = fminf(least, squared);
        sum += squared * tile[j].y;
      }
      __syncthreads();
    }
    loudness[receiver] = sum;
    nearest[receiver] = least;
  }
}
