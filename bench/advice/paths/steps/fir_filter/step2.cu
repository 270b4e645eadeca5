// Finite impulse response filter: out[i] = sum of taps[k] * in[i - k]; the signal is 0 before it starts.
// Sixteen adjacent results per thread: four float4.
#define TAPS 64
#define RESULTS 16

extern "C" __global__ void fir_filter(const float *in, const float *taps, float *out, int n, int num_taps) {
    __shared__ float4 weights[TAPS / 4];
    for (int k = threadIdx.x; k < num_taps; k += blockDim.x)
        reinterpret_cast<float *>(weights)[k] = taps[k];
    __syncthreads();

    int i = (blockIdx.x * blockDim.x + threadIdx.x) * RESULTS;
    if (i >= n)
        return;
    if (i >= TAPS && i + RESULTS <= n && num_taps == TAPS) {
        float sum[RESULTS];
        float window[RESULTS + 4];  // in[i - k - 4 … i - k + 15]
#pragma unroll
        for (int r = 0; r < RESULTS; r++)
            sum[r] = 0.0f;
        const float4 *p = reinterpret_cast<const float4 *>(in + i);
#pragma unroll
        for (int r = 0; r < RESULTS; r += 4) {
            float4 v = p[r / 4];
            window[r] = v.x;
            window[r + 1] = v.y;
            window[r + 2] = v.z;
            window[r + 3] = v.w;
        }
#pragma unroll
        for (int k = 0; k < TAPS; k += 4) {
#pragma unroll
            for (int r = RESULTS + 3; r >= 4; r--)
                window[r] = window[r - 4];
            float4 v = p[-k / 4 - 1];
            window[0] = v.x;
            window[1] = v.y;
            window[2] = v.z;
            window[3] = v.w;
            float4 w = weights[k / 4];
#pragma unroll
            for (int r = 0; r < RESULTS; r++) {
                sum[r] += w.x * window[r + 4];
                sum[r] += w.y * window[r + 3];
                sum[r] += w.z * window[r + 2];
                sum[r] += w.w * window[r + 1];
            }
        }
#pragma unroll
        for (int r = 0; r < RESULTS; r += 4)
            *reinterpret_cast<float4 *>(out + i + r) = make_float4(sum[r], sum[r + 1], sum[r + 2], sum[r + 3]);
    } else {
        const float *w = reinterpret_cast<const float *>(weights);
        for (int j = i; j < i + RESULTS && j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < num_taps; k++) {
                if (j - k >= 0)
                    sum += w[k] * in[j - k];
            }
            out[j] = sum;
        }
    }
}
