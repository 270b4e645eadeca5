// Light on a surface that is given by its normals, from several lamps, as Blinn and Phong have it;
// the result is tone-mapped.

__device__ float3 scaled_to_one(float x, float y, float z) {
  float scale = 1.0f / sqrtf(x * x + y * y + z * z);
  return make_float3(x * scale, y * scale, z * scale);
}

__device__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

__global__ void shade_surface(const float2* __restrict__ slopes,
                              const float* __restrict__ roughness, const float4* __restrict__ lamps,
                              float* __restrict__ shades, int width, int height, int lamp_count) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  int pixel = row * width + column;
  float2 slope = slopes[pixel];
  float3 normal = scaled_to_one(0.5f - slope.x, 0.5f - slope.y, 1.0f);
  float shininess = 4.0f + 60.0f * roughness[pixel];
  float x = static_cast<float>(column) / static_cast<float>(width);
  float y = static_cast<float>(row) / static_cast<float>(height);

  float sum = 0.02f;
  for (int k = 0; k < lamp_count; ++k) {
    float4 lamp = lamps[k];
    float3 to_lamp = scaled_to_one(lamp.x - x, lamp.y - y, 0.5f + lamp.z);
    float3 halfway = scaled_to_one(to_lamp.x, to_lamp.y, to_lamp.z + 1.0f);
    float diffuse = fmaxf(dot(normal, to_lamp), 0.0f);
    float gleam = fmaxf(dot(normal, halfway), 1e-6f);
    sum += lamp.w * (0.6f * diffuse + 0.4f * powf(gleam, shininess));
  }

  float mapped = sum / (1.0f + sum);
  shades[pixel] = powf(mapped, 1.0f / 2.2f);
}
