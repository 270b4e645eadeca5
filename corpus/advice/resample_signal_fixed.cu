// A recording converted from one sampling rate to another by cubic interpolation; the place of each new
// sample between the old ones is exact.

struct Rates {
  long long from;
  long long to;
};

// Catmull and Rom's cubic through b and c, at t between them.
__device__ __forceinline__ float cubic(float a, float b, float c, float d, float t) {
  float third = 0.5f * (d - a) + 1.5f * (b - c);
  float second = a - 2.5f * b + 2.0f * c - 0.5f * d;
  float first = 0.5f * (c - a);
  return b + t * (first + t * (second + t * third));
}

__global__ void resample_signal(const float* __restrict__ in, float* __restrict__ out,
                                long long count, long long samples, Rates rates) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const float inverse = 1.0f / static_cast<float>(rates.to);
  long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  long long place = k * rates.from / rates.to;
  long long rest = k * rates.from % rates.to;
  const long long place_step = step * rates.from / rates.to;
  const long long rest_step = step * rates.from % rates.to;

  for (; k < samples; k += step) {
    if (place + 3 >= count) break;
    const float* near = in + place;
    float between = static_cast<float>(static_cast<int>(rest)) * inverse;
    out[k] = cubic(near[0], near[1], near[2], near[3], between);
    place += place_step;
    rest += rest_step;
    if (rest >= rates.to) {
      rest -= rates.to;
      ++place;
    }
  }
}
