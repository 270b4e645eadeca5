// A polynomial of the given degree at many points: 16 points per thread, blockDim.x apart, by Horner's rule.
extern "C" __global__ void polynomial(const float *x, float *y, const float *coefficients, int degree, int n) {
    int first = blockIdx.x * blockDim.x * 16 + threadIdx.x;
    float sum[16], value[16];
#pragma unroll
    for (int r = 0; r < 16; r++) {
        int i = first + r * blockDim.x;
        sum[r] = 0.0f;
        value[r] = i < n ? x[i] : 0.0f;
    }
    for (int k = degree; k >= 0; k--) {
        float coefficient = coefficients[k];
#pragma unroll
        for (int r = 0; r < 16; r++)
            sum[r] = sum[r] * value[r] + coefficient;
    }
#pragma unroll
    for (int r = 0; r < 16; r++) {
        int i = first + r * blockDim.x;
        if (i < n)
            y[i] = sum[r];
    }
}
