// radix-2 FFT of 1024 complex points per block, in shared memory, interleaved complex
#define N 1024
extern "C" __global__ void fft1024(const float* in, float* out) {
  __shared__ float s[2 * N];
  int t = threadIdx.x;
  const float* src = in + (size_t)blockIdx.x * 2 * N;
  for (int i = t; i < N; i += blockDim.x) {
    int r = __brev(i) >> 22;
    s[2 * r] = src[2 * i];
    s[2 * r + 1] = src[2 * i + 1];
  }
  __syncthreads();
  for (int len = 1; len < N; len *= 2) {
    for (int k = t; k < N / 2; k += blockDim.x) {
      int j = k % len;
      int a = (k / len) * 2 * len + j;
      int b = a + len;
      float ang = -3.14159265f * j / len;
      float cs = cosf(ang), sn = sinf(ang);
      float br = s[2 * b] * cs - s[2 * b + 1] * sn;
      float bi = s[2 * b] * sn + s[2 * b + 1] * cs;
      float ar = s[2 * a], ai = s[2 * a + 1];
      s[2 * a] = ar + br; s[2 * a + 1] = ai + bi;
      s[2 * b] = ar - br; s[2 * b + 1] = ai - bi;
    }
    __syncthreads();
  }
  float* dst = out + (size_t)blockIdx.x * 2 * N;
  for (int i = t; i < 2 * N; i += blockDim.x) dst[i] = s[i];
}
