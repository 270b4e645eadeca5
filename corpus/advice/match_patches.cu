// How far is each candidate patch of 64 samples from a reference? Candidates are named by their
// starts, of which a thread looks at several.

constexpr int kLongest = 10240;

__global__ void match_patches(const float* __restrict__ samples,
                              const float* __restrict__ reference, const int* __restrict__ starts,
                              float* __restrict__ distances, int candidates, int length,
                              int tries) {
  __shared__ float patch[kLongest];
  for (int k = threadIdx.x; k < length; k += blockDim.x) patch[k] = reference[k];
  __syncthreads();
  int candidate = blockIdx.x * blockDim.x + threadIdx.x;
  if (candidate >= candidates) return;

  float best = 1e30f;
  int winner = 0;
  for (int attempt = 0; attempt < tries; ++attempt) {
    int start = starts[attempt * candidates + candidate];
    float distance = 0;
#pragma unroll 1
    for (int k = 0; k < length; k += 64) {
      float4 four = *reinterpret_cast<const float4*>(samples + 4 * (start / 2) + k);
      float a = four.x - patch[k];
      float b = four.y - patch[k + 1];
      float c = four.z - patch[k + 2];
      float d = four.w - patch[k + 3];
      distance += a * a + b * b;
      distance += c * c + d * d;
      if (distance > best) break;
    }
    if (distance < best) winner = attempt;
    best = fminf(best, distance);
  }
  distances[candidate] = best + static_cast<float>(winner);
}
