// Calibration of a digitiser from a long recording: smallest and largest sample, the sum, how often
// the signal crosses the middle and how often it clips. Four 16-bit samples per load. The results
// are exact, in whatever order the blocks add theirs.

using Sum = unsigned long long;

struct Summary {
  unsigned smallest, largest;  // smallest as the complement, so that both start at zero
  unsigned crossings, clipped;
  Sum sum;
};

struct Partial {
  unsigned smallest = 0xffff, largest = 0, crossings = 0, clipped = 0;
  Sum sum = 0;
};

__device__ __forceinline__ void add(Partial& partial, unsigned sample, unsigned& last) {
  partial.smallest = min(partial.smallest, sample);
  partial.largest = max(partial.largest, sample);
  partial.crossings += (sample >= 0x8000) != (last >= 0x8000);
  partial.clipped += sample < 64 || sample >= 0xffc0;
  partial.sum += sample;
  last = sample;
}

__global__ void __launch_bounds__(1024)
    calibrate_gain(const uint2* __restrict__ samples, Summary* __restrict__ summary, int groups) {
  Partial partial;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < groups; i += stride) {
    uint2 four = samples[i];
    unsigned last = four.x & 0xffff;
    add(partial, four.x & 0xffff, last);
    add(partial, four.x >> 16, last);
    add(partial, four.y & 0xffff, last);
    add(partial, four.y >> 16, last);
  }
  partial.smallest = __reduce_min_sync(~0u, partial.smallest);
  partial.largest = __reduce_max_sync(~0u, partial.largest);
  partial.crossings = __reduce_add_sync(~0u, partial.crossings);
  partial.clipped = __reduce_add_sync(~0u, partial.clipped);
  for (int away = 16; away > 0; away /= 2) {
    partial.sum += __shfl_down_sync(~0u, partial.sum, away);
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(&summary->smallest, 0xffffu - partial.smallest);
    atomicMax(&summary->largest, partial.largest);
    atomicAdd(&summary->crossings, partial.crossings);
    atomicAdd(&summary->clipped, partial.clipped);
    atomicAdd(&summary->sum, partial.sum);
  }
}
