// Finite impulse response filter: 4 adjacent results per thread; the taps are read from shared memory.
#define MAX_TAPS 1024
extern "C" __global__ void fir_filter(const float *in, const float *taps, float *out, int n, int num_taps) {
    __shared__ float weights[MAX_TAPS];
    bool staged = num_taps <= MAX_TAPS;
    if (staged)
        for (int k = threadIdx.x; k < num_taps; k += blockDim.x)
            weights[k] = taps[k];
    __syncthreads();

    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= n)
        return;

    if (staged && num_taps % 4 == 0 && i - num_taps >= 0 && i + 3 < n) {
        float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
        float4 high = *(const float4 *)(in + i);
        for (int k = 0; k < num_taps; k += 4) {
            float4 low = *(const float4 *)(in + i - k - 4);
            float w0 = weights[k], w1 = weights[k + 1], w2 = weights[k + 2], w3 = weights[k + 3];
            sum0 += w0 * high.x;
            sum1 += w0 * high.y;
            sum2 += w0 * high.z;
            sum3 += w0 * high.w;
            sum0 += w1 * low.w;
            sum1 += w1 * high.x;
            sum2 += w1 * high.y;
            sum3 += w1 * high.z;
            sum0 += w2 * low.z;
            sum1 += w2 * low.w;
            sum2 += w2 * high.x;
            sum3 += w2 * high.y;
            sum0 += w3 * low.y;
            sum1 += w3 * low.z;
            sum2 += w3 * low.w;
            sum3 += w3 * high.x;
            high = low;
        }
        out[i] = sum0;
        out[i + 1] = sum1;
        out[i + 2] = sum2;
        out[i + 3] = sum3;
    } else {
        for (int r = 0; r < 4 && i + r < n; r++) {
            float sum = 0.0f;
            for (int k = 0; k < num_taps; k++) {
                if (i + r - k >= 0)
                    sum += taps[k] * in[i + r - k];
            }
            out[i + r] = sum;
        }
    }
}
