// Solves (L + shift · I) x = b for many lower triangular matrices L of 32 x 32: one thread per system.
#define N 32

extern "C" __global__ void triangular_solve_32(const float *l, const float *b, float *x, int systems, float shift) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems)
        return;
    const float *matrix = l + s * N * N;
    for (int i = 0; i < N; i++) {
        float sum = b[s * N + i];
        for (int j = 0; j < i; j++)
            sum -= matrix[i * N + j] * x[s * N + j];
        x[s * N + i] = sum / (matrix[i * N + i] + shift);
    }
}
