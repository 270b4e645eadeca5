// Finite impulse response filter: out[i] = sum of taps[k] * in[i - k]; the signal is 0 before it starts.
extern "C" __global__ void fir_filter(const float *in, const float *taps, float *out, int n, int num_taps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < num_taps; k++) {
        if (i - k >= 0)
            sum += taps[k] * in[i - k];
    }
    out[i] = sum;
}
