// A polynomial of the given degree at many points: four points per thread, blockDim.x apart.
extern "C" __global__ void polynomial(const float *x, float *y, const float *coefficients, int degree, int n) {
    int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    float sum[4], power[4], value[4];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        int i = first + r * blockDim.x;
        sum[r] = 0.0f;
        power[r] = 1.0f;
        value[r] = i < n ? x[i] : 0.0f;
    }
    for (int k = 0; k <= degree; k++) {
        float coefficient = coefficients[k];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            sum[r] += coefficient * power[r];
            power[r] *= value[r];
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        int i = first + r * blockDim.x;
        if (i < n)
            y[i] = sum[r];
    }
}
