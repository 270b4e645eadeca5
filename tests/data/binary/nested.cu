// Inlining two deep; the tests know these line numbers.
__device__ __forceinline__ float inner(float x) {
  return x * x + 1.0f;  // line 3
}
__device__ __forceinline__ float middle(float x, float y) {
  float z = inner(x);  // line 6
  z += inner(y) * 3.0f;
  return z;
}
extern "C" __global__ void __launch_bounds__(256, 2) nested(float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = middle(b[i], b[i + 1]) +  // line 13
           inner(b[i + 2]);
}
