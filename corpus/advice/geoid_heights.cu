// Heights above the sea from those that satellite navigation gives, which are above an ellipsoid:
// a surveying office describes the difference in its country (the undulation of the geoid) by
// products of Chebyshev's polynomials in longitude and latitude.

constexpr int kTerms = 8;

// Metres; rows belong to the polynomials in latitude.
__device__ float undulation[kTerms][kTerms] = {
    {44.8127f, 2.4181f, -0.3912f, 0.1173f, -0.0421f, 0.0187f, -0.0093f, 0.0041f},
    {-3.1056f, 1.2277f, 0.2851f, -0.0968f, 0.0377f, -0.0152f, 0.0071f, -0.0034f},
    {0.8433f, -0.5120f, 0.1994f, 0.0733f, -0.0286f, 0.0117f, -0.0058f, 0.0027f},
    {-0.2791f, 0.1846f, -0.1205f, 0.0519f, 0.0203f, -0.0094f, 0.0046f, -0.0021f},
    {0.1138f, -0.0792f, 0.0561f, -0.0348f, 0.0157f, 0.0068f, -0.0033f, 0.0016f},
    {-0.0517f, 0.0364f, -0.0269f, 0.0182f, -0.0105f, 0.0049f, 0.0024f, -0.0012f},
    {0.0242f, -0.0177f, 0.0131f, -0.0092f, 0.0061f, -0.0035f, 0.0017f, 0.0009f},
    {-0.0119f, 0.0087f, -0.0065f, 0.0046f, -0.0032f, 0.0021f, -0.0012f, 0.0006f},
};

// The values of the first polynomials at x.
__device__ __forceinline__ void chebyshev(float x, float (&values)[kTerms]) {
  values[0] = 1.0f;
  values[1] = x;
#pragma unroll
  for (int k = 2; k < kTerms; ++k) values[k] = 2.0f * x * values[k - 1] - values[k - 2];
}

// Longitudes and latitudes are from 0 to 1 in the country.
__global__ void __launch_bounds__(256)
    geoid_heights(const float2* __restrict__ places, float* __restrict__ heights, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float east[kTerms], north[kTerms];
  chebyshev(2.0f * places[i].x - 1.0f, east);
  chebyshev(2.0f * places[i].y - 1.0f, north);
  float height = 0.0f;
#pragma unroll
  for (int row = 0; row < kTerms; ++row) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < kTerms; ++k) sum += undulation[row][k] * east[k];
    height += sum * north[row];
  }
  heights[i] = height;
}
