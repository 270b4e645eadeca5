// Stars on a picture of the sky: where a pixel is bright, the centre and the flux of the star are
// measured in a window around it, with Gaussian weights that follow the centre (as SExtractor's
// windowed positions do); elsewhere there is none.

constexpr int kReach = 2, kRounds = 8;

struct Star {
  float x, y, flux;
};

__device__ __forceinline__ Star measured(const float* centre, int pitch, float sky,
                                         float sharpness) {
  Star star = {0, 0, 0};
  for (int round = 0; round < kRounds; ++round) {
    float sum = 1e-6f, along_x = 0, along_y = 0;
#pragma unroll
    for (int dy = -kReach; dy <= kReach; ++dy) {
#pragma unroll
      for (int dx = -kReach; dx <= kReach; ++dx) {
        float off_x = static_cast<float>(dx) - star.x;
        float off_y = static_cast<float>(dy) - star.y;
        float weight = __expf(-sharpness * (off_x * off_x + off_y * off_y));
        float light = weight * fmaxf(centre[dy * pitch + dx] - sky, 0.0f);
        sum += light;
        along_x += light * off_x;
        along_y += light * off_y;
      }
    }
    star.x += 2.0f * __fdividef(along_x, sum);
    star.y += 2.0f * __fdividef(along_y, sum);
    star.flux = sum;
  }
  return star;
}

// The picture has a border of kReach pixels. Blocks of 256 threads, a row of the picture each.
__global__ void __launch_bounds__(256)
    measure_stars(const float* __restrict__ picture, Star* __restrict__ stars, int width,
                  float threshold, float sky, float sharpness) {
  int pitch = width + 2 * kReach;
  const float* row = picture + static_cast<size_t>(blockIdx.y + kReach) * pitch + kReach;
  Star* out = stars + static_cast<size_t>(blockIdx.y) * width;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int bright[256], count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (row[x] > threshold) {
    bright[atomicAdd(&count, 1)] = x;
  } else {
    out[x] = {0, 0, 0};
  }
  __syncthreads();
  if (threadIdx.x < count) {
    x = bright[threadIdx.x];
    out[x] = measured(row + x, pitch, sky, sharpness);
  }
}
