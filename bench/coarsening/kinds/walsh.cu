// One pass of the fast Walsh transform: pairs that are `distance` apart.
__global__ void walsh(float* values, int distance, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int low = i % distance;
  const int first = 2 * (i - low) + low;
  const float a = values[first];
  const float b = values[first + distance];
  values[first] = a + b;
  values[first + distance] = a - b;
}
