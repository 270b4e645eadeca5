// Frames of a telescope's camera, corrected: the dark current goes off, the pixels' different
// sensitivities too, and what was overexposed or is a known defect becomes −1. Raw pixels have 16
// bits, corrected ones are halves.

#include <cuda_fp16.h>

struct Camera {
  float gain, exposure;
  unsigned short saturation;
};

__device__ __forceinline__ float corrected(unsigned short raw, unsigned short dark, float flat,
                                           const Camera& camera) {
  float electrons = camera.gain * (static_cast<float>(raw) - camera.exposure * dark);
  bool usable = raw < camera.saturation && flat > 0.01f;
  return usable ? __fdividef(electrons, flat) : -1.0f;
}

__global__ void calibrate_frames(const unsigned short* __restrict__ raw,
                                 const unsigned short* __restrict__ dark,
                                 const __half* __restrict__ flat, __half* __restrict__ frames,
                                 int pixels, float gain, float exposure) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= pixels) return;
  Camera camera = {gain, exposure, 64000};
  size_t place = static_cast<size_t>(blockIdx.y) * pixels + pixel;

  float value = corrected(raw[place], dark[pixel], __half2float(flat[pixel]), camera);
  frames[place] = __float2half(value);
}
