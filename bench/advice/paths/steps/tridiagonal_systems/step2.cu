// Implicit diffusion step: one tridiagonal system per rod, solved with the Thomas algorithm by one warp, in shared
// memory. Dynamic shared memory: 5 rows of n floats per warp.
//   -lower[i] x[i-1] + (1 + lower[i] + upper[i]) x[i] - upper[i] x[i+1] = rhs[i]
extern "C" __global__ void tridiagonal_systems(const float *lower, const float *upper, const float *rhs, float *work,
                                               float *x, int systems, int n) {
    extern __shared__ float rows[];
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (s >= systems)
        return; // the whole warp
    float *a = rows + threadIdx.x / 32 * 5 * n;
    float *c = a + n;
    float *d = c + n;
    float *w = d + n;
    float *y = w + n;
    for (int i = lane; i < n; i += 32) {
        a[i] = lower[s * n + i];
        c[i] = upper[s * n + i];
        d[i] = rhs[s * n + i];
    }
    __syncwarp();

    // Both loops need the results of the iteration before: one lane does them.
    if (lane == 0) {
        float diagonal = 1.0f + a[0] + c[0];
        w[0] = -c[0] / diagonal;
        y[0] = d[0] / diagonal;
        for (int i = 1; i < n; i++) {
            diagonal = 1.0f + a[i] + c[i] + a[i] * w[i - 1];
            w[i] = -c[i] / diagonal;
            y[i] = __fdividef(d[i] + a[i] * y[i - 1], diagonal);
        }
        for (int i = n - 2; i >= 0; i--)
            y[i] = y[i] - w[i] * y[i + 1];
    }
    __syncwarp();
    for (int i = lane; i < n; i += 32) {
        work[s * n + i] = w[i];
        x[s * n + i] = y[i];
    }
}
