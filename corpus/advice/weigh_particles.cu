// Particle filter that tracks a cell in a video: the likelihood of each particle's position from
// the pixels of a disc around it, and the new weights. Pixels of the cell are bright, those of the
// background dark. A thread takes a particle.

constexpr int kMaxPoints = 256;
constexpr float kBackground = 100.0f, kForeground = 228.0f;

struct Video {
  int width, height;
  int points;          // of the disc
  float x, y, spread;  // where the cell was, and how far the particles went from there
  float noise;
};

__device__ __forceinline__ float evidence(float pixel, float noise) {
  float dark = pixel - kBackground, bright = pixel - kForeground;
  return (dark * dark - bright * bright) * noise;
}

__global__ void weigh_particles(const unsigned char* __restrict__ frame,
                                const int* __restrict__ disc, const float2* __restrict__ positions,
                                const float* __restrict__ weights, float* __restrict__ weighted,
                                int particles, Video video) {
  __shared__ int2 offsets[kMaxPoints];
  for (int k = threadIdx.x; k < video.points; k += blockDim.x) {
    int point = disc[k];  // x and y in a square of 32×32
    offsets[k] = {point % 32 - 16, point / 32 - 16};
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  float2 position = positions[i];
  int x = static_cast<int>(video.x + video.spread * (position.x - 0.5f));
  int y = static_cast<int>(video.y + video.spread * (position.y - 0.5f));
  float sum = 0;
  for (int k = 0; k < video.points; ++k) {
    int px = min(max(x + offsets[k].x, 0), video.width - 1);
    int py = min(max(y + offsets[k].y, 0), video.height - 1);
    sum += evidence(frame[py * video.width + px], video.noise);
  }
  weighted[i] = weights[i] * expf(sum / video.points);
}
