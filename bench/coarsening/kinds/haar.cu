// One level of the Haar wavelet transform.
__global__ void haar(const float2* signal, float* smooth, float* detail, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 pair = signal[i];
  smooth[i] = (pair.x + pair.y) * 0.70710678f;
  detail[i] = (pair.x - pair.y) * 0.70710678f;
}
