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
  int pixel = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (pixel >= pixels) return;
  Camera camera = {gain, exposure, 64000};
  size_t place = static_cast<size_t>(blockIdx.y) * pixels + pixel;

  ushort4 from = *reinterpret_cast<const ushort4*>(raw + place);
  ushort4 off = *reinterpret_cast<const ushort4*>(dark + pixel);
  uint2 packed = *reinterpret_cast<const uint2*>(flat + pixel);
  float2 low = __half22float2(*reinterpret_cast<const __half2*>(&packed.x));
  float2 high = __half22float2(*reinterpret_cast<const __half2*>(&packed.y));
  __half2 first = __floats2half2_rn(corrected(from.x, off.x, low.x, camera),
                                    corrected(from.y, off.y, low.y, camera));
  __half2 second = __floats2half2_rn(corrected(from.z, off.z, high.x, camera),
                                     corrected(from.w, off.w, high.y, camera));
  uint2 result = {*reinterpret_cast<unsigned*>(&first), *reinterpret_cast<unsigned*>(&second)};
  *reinterpret_cast<uint2*>(frames + place) = result;
}
