// Reads the records that a fleet of weather balloons sent, 16 bytes each: a counter, the pressure
// and the temperature as the sensors gave them (the high byte first), the forces along three axes,
// the battery and a checksum. The result is the height of a balloon, below zero if it is not sure.

struct Sensors {
  float pressure_scale, temperature_scale, shake_limit;
};

__global__ void parse_telemetry(const unsigned char* __restrict__ records,
                                float* __restrict__ heights, int record_count,
                                float pressure_scale, float temperature_scale, float shake_limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= record_count) return;
  Sensors sensors{pressure_scale, temperature_scale, shake_limit};

  uint4 record = reinterpret_cast<const uint4*>(records)[i];
  unsigned words[4] = {record.x, record.y, record.z, record.w};
  auto byte = [&](int k) -> unsigned { return words[k / 4] >> (8 * (k % 4)) & 255u; };

  unsigned check = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) check ^= byte(k);
  float pressure = (byte(2) << 16 | byte(3) << 8 | byte(4)) * sensors.pressure_scale;
  float temperature = (byte(5) << 8 | byte(6)) * sensors.temperature_scale - 90.0f;
  float shake = 0.0f;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    float force = static_cast<short>(byte(7 + 2 * axis) << 8 | byte(8 + 2 * axis));
    shake = fmaxf(shake, fabsf(force));
  }

  float height = __log2f(1.0f + pressure) * (temperature + 273.15f) * 20.3f + (byte(0) & 1u);
  bool sure = (check & 3u) != 3u && shake < sensors.shake_limit && byte(13) > 40u;
  heights[i] = sure ? height : -1.0f - height;
}
