// Colour correction of a camera's raw pixels by polynomials of the second degree in three channels,
// with a gain per colour that depends on the pixel's distance from the centre (vignetting).

constexpr int kTerms = 10, kColours = 3, kRings = 4;

// Fitted to a chart. Per colour: 1, r, g, b, r², g², b², rg, gb, br.
__constant__ float polynomials[kColours][kTerms] = {
    {0.002f, 1.410f, -0.262f, -0.119f, 0.031f, 0.012f, -0.008f, -0.047f, 0.022f, 0.009f},
    {0.001f, -0.171f, 1.322f, -0.147f, 0.007f, 0.028f, 0.011f, -0.033f, -0.026f, 0.014f},
    {0.003f, 0.024f, -0.381f, 1.349f, -0.004f, 0.019f, 0.037f, 0.013f, -0.052f, -0.011f},
};

// Per colour: powers of the squared distance.
__constant__ float vignetting[kColours][kRings] = {
    {1.0f, 0.184f, 0.071f, -0.012f},
    {1.0f, 0.161f, 0.064f, -0.009f},
    {1.0f, 0.203f, 0.082f, -0.015f},
};

__device__ __forceinline__ float gain_of(int colour, float squared) {
  float gain = 0;
  for (int k = kRings - 1; k >= 0; --k) gain = gain * squared + vignetting[colour][k];
  return gain;
}

__global__ void __launch_bounds__(256)
    correct_colours(const ushort4* __restrict__ raw, uchar4* __restrict__ picture, int width,
                    int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  ushort4 pixel = raw[y * width + x];
  float dx = 2.0f * x / width - 1.0f, dy = 2.0f * y / height - 1.0f;
  float squared = dx * dx + dy * dy;
  float r = pixel.x * (1.0f / 65536.0f) * gain_of(0, squared);
  float g = pixel.y * (1.0f / 65536.0f) * gain_of(1, squared);
  float b = pixel.z * (1.0f / 65536.0f) * gain_of(2, squared);
  float terms[kTerms] = {1.0f, r, g, b, r * r, g * g, b * b, r * g, g * b, b * r};
  unsigned char corrected[kColours];
#pragma unroll
  for (int colour = 0; colour < kColours; ++colour) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kTerms; ++k) sum += polynomials[colour][k] * terms[k];
    corrected[colour] = static_cast<unsigned char>(255.0f * __saturatef(sum));
  }
  picture[y * width + x] = {corrected[0], corrected[1], corrected[2], 255};
}
