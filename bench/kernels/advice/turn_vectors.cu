// Vectors turned by unit quaternions, four floats each (the vectors' last is a weight).

__global__ void turn_vectors(const float* __restrict__ turns, const float* __restrict__ vectors,
                             float* __restrict__ turned, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float a = turns[4 * i];
  float b = turns[4 * i + 1];
  float c = turns[4 * i + 2];
  float w = turns[4 * i + 3];
  float x = vectors[4 * i];
  float y = vectors[4 * i + 1];
  float z = vectors[4 * i + 2];
  float weight = vectors[4 * i + 3];

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

  turned[4 * i] = rx;
  turned[4 * i + 1] = ry;
  turned[4 * i + 2] = rz;
  turned[4 * i + 3] = weight;
}
