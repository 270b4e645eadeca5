// Rows of 128 values become mixtures of 256 given rows, by how alike they are; a block has `each`
// rows, sixteen threads a row.

__global__ void attention_rows(const float* __restrict__ queries, const float* __restrict__ keys,
                               const float* __restrict__ values, float* __restrict__ mixed,
                               int rows, int each) {
  constexpr int kWidth = 128, kKeys = 256;
  extern __shared__ float weights[];
  int local = threadIdx.x / 16;
  int part = threadIdx.x % 16;
  int row = blockIdx.x * each + local;
  if (row >= rows || local >= each) return;
  float* mine = weights + local * (kKeys + 8);
  unsigned group = 0xffffu << (threadIdx.x & 16);

  float total = 0;
  for (int key = part; key < kKeys; key += 16) {
    float likeness = 0;
    for (int d = 0; d < kWidth; ++d) {
      likeness += queries[row * kWidth + d] * keys[d * kKeys + key];
    }
    float weight = __expf(0.125f * likeness);
    mine[key] = weight;
    total += weight;
  }
  for (int step = 8; step > 0; step /= 2) total += __shfl_xor_sync(group, total, step);
  __syncwarp(group);

  float scale = 1.0f / total;
  for (int d = part; d < kWidth; d += 16) {
    float sum = 0;
    for (int key = 0; key < kKeys; ++key) {
      sum += mine[key] * values[key * kWidth + d];
    }
    mixed[row * kWidth + d] = sum * scale;
  }
}
