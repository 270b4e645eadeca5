// Smooths pen strokes of up to 24 samples, many at once, by a few implicit steps of diffusion: a
// tridiagonal system a stroke and a step, with the same matrix for all, whose pivots the host has
// inverted. The ends stay. A block brings its strokes to shared memory, a row each: in memory too
// each has room for 24.

constexpr int kMost = 24, kStrokes = 128;

struct Smoothing {
  int samples, steps;
  float rate;
};

__device__ __forceinline__ void solve(float* row, const float* inverses,
                                      const Smoothing& smoothing) {
  int last = smoothing.samples - 1;
  float carried = row[0];
  for (int k = 1; k < last; ++k) {
    carried = (row[k] + smoothing.rate * carried) * inverses[k];
    row[k] = carried;
  }
  float value = row[last];
  for (int k = last - 1; k > 0; --k) {
    value = row[k] + smoothing.rate * inverses[k] * value;
    row[k] = value;
  }
}

__global__ void __launch_bounds__(kStrokes)
    smooth_strokes(const float* __restrict__ strokes, const float* __restrict__ inverse_pivots,
                   float* __restrict__ smooth, Smoothing smoothing) {
  __shared__ float rows[kStrokes][kMost + 1];
  __shared__ float inverses[kMost];
  long long first = static_cast<long long>(blockIdx.x) * kStrokes * kMost;
  if (threadIdx.x < kMost) inverses[threadIdx.x] = inverse_pivots[threadIdx.x];
  for (int k = threadIdx.x; k < kStrokes * kMost; k += kStrokes) {
    rows[k / kMost][k % kMost] = strokes[first + k];
  }
  __syncthreads();
  for (int step = 0; step < smoothing.steps; ++step) {
    solve(rows[threadIdx.x], inverses, smoothing);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < kStrokes * kMost; k += kStrokes) {
    smooth[first + k] = rows[k / kMost][k % kMost];
  }
}
