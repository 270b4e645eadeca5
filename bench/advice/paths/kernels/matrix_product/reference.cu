// cuBLAS, single precision without TF32. cuBLAS is column-major, so it computes Cᵀ = Bᵀ · Aᵀ.
#include <cublas_v2.h>
#include <cuda_runtime.h>

extern "C" void launch(void **arguments, cudaStream_t stream) {
  static cublasHandle_t handle = [] {
    cublasHandle_t created;
    cublasCreate(&created);
    return created;
  }();
  const float *a = *(const float **)arguments[0], *b = *(const float **)arguments[1];
  float *c = *(float **)arguments[2];
  const int n = *(int *)arguments[3];
  const float one = 1.0f, zero = 0.0f;
  cublasSetStream(handle, stream);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n);
}
