// Turns the raw readings of a bridge's sensors into what they measure. Four sensors sit at each
// joint, and their readings follow each other: a thermistor, a strain gauge, a tilt meter and a
// hygrometer. Each has a curve that is solved for the quantity step by step.

constexpr int kinds = 4, block_size = 256;

__device__ __forceinline__ float kelvins(float raw, int steps) {
  float t = 290.0f;
  for (int k = 0; k < steps; ++k) {
    float resistance = __expf(__fdividef(3450.0f, t) - 11.7f);
    t += 12.0f * (resistance - 0.6f - raw);
  }
  return t;
}

__device__ __forceinline__ float strain(float raw, int steps) {
  float s = raw;
  for (int k = 0; k < steps; ++k) {
    float bridge = s * (1.0f + s * (0.21f + s * (-0.07f + s * 0.013f)));
    s -= 0.6f * (bridge - raw);
  }
  return s;
}

__device__ __forceinline__ float tilt(float raw, int steps) {
  float angle = raw;
  for (int k = 0; k < steps; ++k) {
    angle = raw + 0.3f * __sinf(angle) * __cosf(0.5f * angle);
  }
  return angle;
}

__device__ __forceinline__ float humidity(float raw, int steps) {
  float h = 0.5f;
  for (int k = 0; k < steps; ++k) {
    float drift = rsqrtf(1.0f + h * h);
    h = 0.5f * (h + raw * drift) + 0.02f * h * (1.0f - h);
  }
  return h;
}

__global__ void convert_sensors(const float* __restrict__ readings, float* __restrict__ quantities,
                                int count, int steps) {
  int place = threadIdx.x;
  int i = blockIdx.x * block_size + place;
  if (i >= count) return;

  float raw = readings[i], quantity;
  switch (i % kinds) {
    case 0: quantity = kelvins(raw, steps); break;
    case 1: quantity = strain(raw, steps); break;
    case 2: quantity = tilt(raw, steps); break;
    default: quantity = humidity(raw, steps); break;
  }
  quantities[i] = quantity;
}
