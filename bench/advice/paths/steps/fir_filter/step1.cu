// Finite impulse response filter: out[i] = sum of taps[k] * in[i - k]; the signal is 0 before it starts.
// Four adjacent results per thread.
#define MAX_TAPS 1024

extern "C" __global__ void fir_filter(const float *in, const float *taps, float *out, int n, int num_taps) {
    __shared__ __align__(16) float weights[MAX_TAPS];
    for (int k = threadIdx.x; k < num_taps && k < MAX_TAPS; k += blockDim.x)
        weights[k] = taps[k];
    __syncthreads();

    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= n)
        return;
    if (i >= num_taps && i + 4 <= n && num_taps % 4 == 0 && num_taps <= MAX_TAPS) {
        float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
        float4 hi = *reinterpret_cast<const float4 *>(in + i);
        for (int k = 0; k < num_taps; k += 4) {
            float4 lo = *reinterpret_cast<const float4 *>(in + i - k - 4);
            float4 w = *reinterpret_cast<const float4 *>(weights + k);
            sum0 += w.x * hi.x;
            sum1 += w.x * hi.y;
            sum2 += w.x * hi.z;
            sum3 += w.x * hi.w;
            sum0 += w.y * lo.w;
            sum1 += w.y * hi.x;
            sum2 += w.y * hi.y;
            sum3 += w.y * hi.z;
            sum0 += w.z * lo.z;
            sum1 += w.z * lo.w;
            sum2 += w.z * hi.x;
            sum3 += w.z * hi.y;
            sum0 += w.w * lo.y;
            sum1 += w.w * lo.z;
            sum2 += w.w * lo.w;
            sum3 += w.w * hi.x;
            hi = lo;
        }
        *reinterpret_cast<float4 *>(out + i) = make_float4(sum0, sum1, sum2, sum3);
        return;
    }
    for (int j = i; j < i + 4 && j < n; j++) {
        float sum = 0.0f;
        for (int k = 0; k < num_taps; k++) {
            if (j - k >= 0)
                sum += taps[k] * in[j - k];
        }
        out[j] = sum;
    }
}
