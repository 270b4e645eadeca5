// C = A · B for many 8 × 8 matrices: one thread per matrix.
#define N 8

extern "C" __global__ void batched_matrices_8x8(const float * __restrict__ a, const float * __restrict__ b, float * __restrict__ c, int count) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    const float *am = a + m * N * N;
    const float *bm = b + m * N * N;
    float *cm = c + m * N * N;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;
            for (int k = 0; k < N; k++)
                sum += am[i * N + k] * bm[k * N + j];
            cm[i * N + j] = sum;
        }
    }
}
