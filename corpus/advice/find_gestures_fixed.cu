// Looks for a gesture in the records of many motion sensors by dynamic time warping: how cheaply
// the gesture, slower or faster, can be laid over some stretch of a record. A thread has a record;
// what it costs to end at each sample of the gesture is in shared memory.

constexpr int kThreads = 128;
constexpr int kGesture = 20;  // samples

struct Match {
  float cost;
  int end;
};

__device__ __forceinline__ float least(float a, float b, float c) {
  return fminf(fminf(a, b), c);
}

// Records lie sample by sample.
__global__ void __launch_bounds__(kThreads)
    find_gestures(const float* __restrict__ records, const float* __restrict__ gesture,
                  Match* __restrict__ matches, int count, int samples) {
  __shared__ float costs[kThreads][kGesture + 1];
  __shared__ float wanted[kGesture];
  int t = threadIdx.x;
  if (t < kGesture) wanted[t] = gesture[t];
  for (int k = 0; k < kGesture; ++k) costs[t][k] = 1e30f;
  __syncthreads();
  int record = blockIdx.x * kThreads + t;
  if (record >= count) return;

  Match best = {1e30f, 0};
  for (int sample = 0; sample < samples; ++sample) {
    float value = records[static_cast<size_t>(sample) * count + record];
    float diagonal = 0, before = 1e30f;  // a match may begin anywhere
#pragma unroll 4
    for (int k = 0; k < kGesture; ++k) {
      float above = costs[t][k];
      float away = value - wanted[k];
      before = away * away + least(above, before, diagonal);
      costs[t][k] = before;
      diagonal = above;
    }
    if (before < best.cost) best = {before, sample};
  }
  matches[record] = best;
}
