// How much water fields lose to the air in a day or more, hour by hour, after Penman and Monteith (FAO
// 56), from the measured temperature, humidity and sunshine; and the worst hour of each.

struct Site {
  float pressure;  // kPa
  float wind;      // m/s
  float albedo;
};

__device__ float saturation(float celsius) {
  return 0.6108f * expf(17.27f * celsius / (celsius + 237.3f));
}

// Long waves that the ground radiates into the sky in an hour.
__device__ float outgoing(float celsius, float vapour, float clearness) {
  float kelvin = celsius + 273.16f;
  float square = kelvin * kelvin;
  return 2.043e-10f * square * square * (0.34f - 0.14f * sqrtf(vapour)) *
         (1.35f * clearness - 0.35f);
}

__global__ void evaporate_fields(const float* __restrict__ warmth, const float* __restrict__ humidity,
                                 const float* __restrict__ sunshine, float* __restrict__ losses,
                                 float* __restrict__ worst, int fields, int hours, Site site) {
  int field = blockIdx.x * blockDim.x + threadIdx.x;
  if (field >= fields) return;
  float gamma = 0.000665f * site.pressure;
  float loss = 0;
  float most = 0;

#pragma unroll 4
  for (int hour = 0; hour < hours; ++hour) {
    size_t at = static_cast<size_t>(hour) * fields + field;
    float celsius = 5.0f + 30.0f * warmth[at];
    float sun = sunshine[at];

    float full = saturation(celsius);
    float vapour = full * (0.2f + 0.8f * humidity[at]);
    float above = celsius + 237.3f;
    float slope = 4098.0f * full / (above * above);
    float net = (1.0f - site.albedo) * 3.6f * sun - outgoing(celsius, vapour, sun / (0.2f + 0.8f * sun));
    float aerial = gamma * 37.0f / (celsius + 273.0f) * site.wind * (full - vapour);
    float rate = (0.408f * slope * net + aerial) / (slope + gamma * (1.0f + 0.34f * site.wind));
    rate = fmaxf(rate, 0.0f);
    loss += rate;
    most = fmaxf(most, rate);
  }
  losses[field] = loss;
  worst[field] = most;
}
