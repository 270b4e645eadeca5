// cuBLAS in single precision. Column-major, it sees Cᵀ (n × m) = (B's memory, k × n)ᵀ · (A's memory, k × m).
#include <cublas_v2.h>
#include <cuda_runtime.h>

extern "C" void launch(void **arguments, cudaStream_t stream) {
  static cublasHandle_t handle = nullptr;
  if (handle == nullptr) cublasCreate(&handle);  // its default: no TF32
  const float *a = *(const float **)arguments[0], *b = *(const float **)arguments[1];
  float *c = *(float **)arguments[2];
  const int m = *(int *)arguments[3], n = *(int *)arguments[4], k = *(int *)arguments[5];
  const float one = 1, zero = 0;
  cublasSetStream(handle, stream);
  cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, b, k, a, k, &zero, c, n);
}
