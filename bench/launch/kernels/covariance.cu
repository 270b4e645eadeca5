// Covariance of centred features: thread i has those of feature i with itself and the later ones.
__global__ void covariance(const float* data, float* result, int samples, int features) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= features) return;
  for (int j = i; j < features; ++j) {
    float sum = 0;
    for (int s = 0; s < samples; ++s) sum += data[s * features + i] * data[s * features + j];
    sum /= samples - 1;
    result[i * features + j] = sum;
    result[j * features + i] = sum;
  }
}
