// Finite impulse response filter: out[i] = sum of taps[k] * in[i - k]; the signal is 0 before it starts.
// Sixteen adjacent results per thread.
#define MAX_TAPS 1024
#define RESULTS 16

extern "C" __global__ void fir_filter(const float *in, const float *taps, float *out, int n, int num_taps) {
    __shared__ __align__(16) float weights[MAX_TAPS];
    for (int k = threadIdx.x; k < num_taps && k < MAX_TAPS; k += blockDim.x)
        weights[k] = taps[k];
    __syncthreads();

    int i = (blockIdx.x * blockDim.x + threadIdx.x) * RESULTS;
    if (i >= n)
        return;
    if (i >= num_taps && i + RESULTS <= n && num_taps % 4 == 0 && num_taps <= MAX_TAPS) {
        float sum[RESULTS];
        float v[RESULTS + 4];  // in[i - k - 4] … in[i - k + RESULTS - 1]
#pragma unroll
        for (int r = 0; r < RESULTS; r++)
            sum[r] = 0.0f;
#pragma unroll
        for (int r = 0; r < RESULTS; r += 4) {
            float4 a = *reinterpret_cast<const float4 *>(in + i + r);
            v[r + 4] = a.x;
            v[r + 5] = a.y;
            v[r + 6] = a.z;
            v[r + 7] = a.w;
        }
#pragma unroll 4
        for (int k = 0; k < num_taps; k += 4) {
            float4 a = *reinterpret_cast<const float4 *>(in + i - k - 4);
            float4 w = *reinterpret_cast<const float4 *>(weights + k);
            v[0] = a.x;
            v[1] = a.y;
            v[2] = a.z;
            v[3] = a.w;
#pragma unroll
            for (int r = 0; r < RESULTS; r++)
                sum[r] += w.x * v[r + 4];
#pragma unroll
            for (int r = 0; r < RESULTS; r++)
                sum[r] += w.y * v[r + 3];
#pragma unroll
            for (int r = 0; r < RESULTS; r++)
                sum[r] += w.z * v[r + 2];
#pragma unroll
            for (int r = 0; r < RESULTS; r++)
                sum[r] += w.w * v[r + 1];
#pragma unroll
            for (int r = RESULTS + 3; r >= 4; r--)
                v[r] = v[r - 4];
        }
#pragma unroll
        for (int r = 0; r < RESULTS; r += 4)
            *reinterpret_cast<float4 *>(out + i + r) = make_float4(sum[r], sum[r + 1], sum[r + 2], sum[r + 3]);
        return;
    }
    for (int j = i; j < i + RESULTS && j < n; j++) {
        float sum = 0.0f;
        for (int k = 0; k < num_taps; k++) {
            if (j - k >= 0)
                sum += taps[k] * in[j - k];
        }
        out[j] = sum;
    }
}
