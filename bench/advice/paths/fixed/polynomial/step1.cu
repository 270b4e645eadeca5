// A polynomial of the given degree at many points: one thread per point.
extern "C" __global__ void polynomial(const float *x, float *y, const float *coefficients, int degree, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        float power = 1.0f;
        #pragma unroll 8
        for (int k = 0; k <= degree; k++) {
            sum += coefficients[k] * power;
            power *= x[i];
        }
        y[i] = sum;
    }
}
