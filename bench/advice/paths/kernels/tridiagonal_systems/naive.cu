// Implicit diffusion step: one tridiagonal system per rod, solved with the Thomas algorithm by one thread.
//   -lower[i] x[i-1] + (1 + lower[i] + upper[i]) x[i] - upper[i] x[i+1] = rhs[i]
extern "C" __global__ void tridiagonal_systems(const float *lower, const float *upper, const float *rhs, float *work,
                                               float *x, int systems, int n) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems)
        return;
    const float *a = lower + s * n;
    const float *c = upper + s * n;
    const float *d = rhs + s * n;
    float *w = work + s * n;
    float *y = x + s * n;

    float diagonal = 1.0f + a[0] + c[0];
    w[0] = -c[0] / diagonal;
    y[0] = d[0] / diagonal;
    for (int i = 1; i < n; i++) {
        diagonal = 1.0f + a[i] + c[i] + a[i] * w[i - 1];
        w[i] = -c[i] / diagonal;
        y[i] = (d[i] + a[i] * y[i - 1]) / diagonal;
    }
    for (int i = n - 2; i >= 0; i--)
        y[i] = y[i] - w[i] * y[i + 1];
}
