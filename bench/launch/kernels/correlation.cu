// Correlation of features: the upper triangle is computed and stored twice.
__global__ void correlation(const float* data, const float* deviations, float* result, int samples,
                            int features) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= features || j >= features || j < i) return;
  float sum = 0;
  for (int s = 0; s < samples; ++s) sum += data[s * features + i] * data[s * features + j];
  sum /= samples * (deviations[i] + 0.1f) * (deviations[j] + 0.1f);
  result[i * features + j] = sum;
  result[j * features + i] = sum;
}
