// Vectors turned by unit quaternions, four floats each (the vectors' last is a weight).

__global__ void turn_vectors(const float* __restrict__ turns, const float* __restrict__ vectors,
                             float* __restrict__ turned, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float4 turn = reinterpret_cast<const float4*>(turns)[i];
  float4 vector = reinterpret_cast<const float4*>(vectors)[i];
  float a = turn.x, b = turn.y, c = turn.z, w = turn.w;
  float x = vector.x, y = vector.y, z = vector.z;
  float weight = vector.w;

  float length = a * a + b * b + c * c + w * w + 1e-6f;
  float scale = rsqrtf(length);
  a *= scale;
  b *= scale;
  c *= scale;
  w *= scale;

  float tx = 2.0f * (b * z - c * y);
  float ty = 2.0f * (c * x - a * z);
  float tz = 2.0f * (a * y - b * x);
  float rx = x + w * tx + b * tz - c * ty;
  float ry = y + w * ty + c * tx - a * tz;
  float rz = z + w * tz + a * ty - b * tx;

  reinterpret_cast<float4*>(turned)[i] = make_float4(rx, ry, rz, weight);
}
