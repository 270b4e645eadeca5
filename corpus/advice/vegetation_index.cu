// The enhanced vegetation index of a satellite picture, from its near infrared, red and blue bands.

struct Weights {
  float gain, red, blue, soil;
};

__global__ void vegetation_index(const float* __restrict__ infrared, const float* __restrict__ red,
                                 const float* __restrict__ blue, float* __restrict__ index,
                                 int pixels, Weights w) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= pixels) return;
  float n = infrared[pixel];
  float r = red[pixel];
  float b = blue[pixel];
  float below = n + w.red * r - w.blue * b + w.soil;
  float value = fabsf(below) < 1e-3f ? 0.0f : __fdividef(w.gain * (n - r), below);

  // Where the air is hazy (much blue), the index of two bands is safer.
  if (b > 0.9f) value = __fdividef(2.4f * (n - r), n + 2.4f * r + w.soil);
  index[pixel] = fminf(fmaxf(value, -1.0f), 1.0f);
}
