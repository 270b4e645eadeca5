// Merges photographs of one scene with different exposures into one picture of high dynamic range:
// the radiance of a pixel is the mean of what the exposures say, weighted by how far from black and
// white their values are. The total weight tells how sure the radiance is.

struct Sensor {
  float black;  // what the sensor reads without light
  float scale;  // 1 / (white - black)
  float floor;  // the least weight
};

__device__ __forceinline__ float developed(unsigned short raw, const Sensor& sensor) {
  return __saturatef((static_cast<float>(raw) - sensor.black) * sensor.scale);
}

__device__ __forceinline__ float trust(float value, const Sensor& sensor) {
  return fmaxf(1.0f - fabsf(2.0f * value - 1.0f), sensor.floor);
}

__global__ void merge_exposures(const unsigned short* frames, const float* gains, float* radiance,
                                float* confidence, int pixels, int exposures, Sensor sensor) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= pixels) return;

  radiance[pixel] = 0.0f;
  confidence[pixel] = 0.0f;
  for (int k = 0; k < exposures; ++k) {
    float value = developed(frames[static_cast<size_t>(k) * pixels + pixel], sensor);
    float weight = trust(value, sensor);
    radiance[pixel] += weight * value * gains[k];
    confidence[pixel] += weight;
  }
  radiance[pixel] = __fdividef(radiance[pixel], confidence[pixel]);
}
