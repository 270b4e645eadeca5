// Cholesky factors of many small symmetric matrices, A + shift · I = L · L^T: one thread per matrix.
#include <math.h>

extern "C" __global__ void cholesky(const float *matrices, float *factors, int count, int n, float shift) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    const float *a = matrices + (size_t)m * n * n;
    float *l = factors + (size_t)m * n * n;
    for (int j = 0; j < n; j++) {
        float sum = a[j * n + j] + shift;
        for (int k = 0; k < j; k++)
            sum -= l[j * n + k] * l[j * n + k];
        float diagonal = sqrtf(sum);
        l[j * n + j] = diagonal;
        for (int i = j + 1; i < n; i++) {
            sum = a[i * n + j];
            int k = 0;
            for (; k + 4 <= j; k += 4) { // n is a multiple of 4
                float4 x = *reinterpret_cast<const float4 *>(&l[i * n + k]);
                float4 y = *reinterpret_cast<const float4 *>(&l[j * n + k]);
                sum -= x.x * y.x;
                sum -= x.y * y.y;
                sum -= x.z * y.z;
                sum -= x.w * y.w;
            }
            for (; k < j; k++)
                sum -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = sum / diagonal;
            l[j * n + i] = 0.0f;
        }
    }
}
