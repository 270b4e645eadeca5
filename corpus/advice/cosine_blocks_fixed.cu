// The cosine transform of 8×8 blocks of a picture and its quantisation, as in JPEG: a thread makes
// one row of a block, then one column.

constexpr int kSide = 8, kThreads = 128;
constexpr int kRow = kSide + 1;        // from a row to the next in shared memory
constexpr int kStride = kSide * kRow;  // from a block to the next

// The transform of eight values that stand `step` apart.
__device__ __forceinline__ void transform(float* values, int step) {
  constexpr float c1 = 0.98078528f, c2 = 0.92387953f, c3 = 0.83146961f, c4 = 0.70710678f;
  constexpr float c5 = 0.55557023f, c6 = 0.38268343f, c7 = 0.19509032f;
  float v[kSide];
#pragma unroll
  for (int k = 0; k < kSide; ++k) v[k] = values[k * step];
  float s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
  float d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];
  values[0] = c4 * (s0 + s1 + s2 + s3);
  values[4 * step] = c4 * (s0 - s1 - s2 + s3);
  values[2 * step] = c2 * (s0 - s3) + c6 * (s1 - s2);
  values[6 * step] = c6 * (s0 - s3) - c2 * (s1 - s2);
  values[step] = c1 * d0 + c3 * d1 + c5 * d2 + c7 * d3;
  values[3 * step] = c3 * d0 - c7 * d1 - c1 * d2 - c5 * d3;
  values[5 * step] = c5 * d0 - c1 * d1 + c7 * d2 + c3 * d3;
  values[7 * step] = c7 * d0 - c5 * d1 + c3 * d2 - c1 * d3;
}

__global__ void __launch_bounds__(kThreads)
    cosine_blocks(const float* __restrict__ picture, const float* __restrict__ steps,
                  float* __restrict__ coefficients, int width) {
  constexpr int kBlocks = kThreads / kSide, kWide = kBlocks * kSide;
  __shared__ float blocks[kBlocks * kStride];
  int block = threadIdx.x / kSide;
  int line = threadIdx.x % kSide;
  size_t first = static_cast<size_t>(blockIdx.y) * kSide * width + blockIdx.x * kWide;
#pragma unroll
  for (int y = 0; y < kSide; ++y) {
    blocks[block * kStride + y * kRow + line] = picture[first + y * width + threadIdx.x] - 0.5f;
  }
  __syncwarp();
  transform(blocks + block * kStride + line * kRow, 1);
  __syncwarp();
  transform(blocks + block * kStride + line, kRow);
  __syncwarp();
#pragma unroll
  for (int y = 0; y < kSide; ++y) {
    float value = blocks[block * kStride + y * kRow + line];
    float step = 0.05f + steps[y * kSide + line];
    coefficients[first + y * width + threadIdx.x] = rintf(__fdividef(value, step));
  }
}
