// Finite impulse response filter: out[i] = sum of taps[k] * in[i - k]; the signal is 0 before it starts.
// Four adjacent results per thread.
#define MAX_TAPS 64

extern "C" __global__ void fir_filter(const float *in, const float *taps, float *out, int n, int num_taps) {
    __shared__ float4 weights[MAX_TAPS / 4];
    for (int k = threadIdx.x; k < num_taps; k += blockDim.x)
        reinterpret_cast<float *>(weights)[k] = taps[k];
    __syncthreads();

    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= n)
        return;
    if (i >= num_taps && i + 3 < n && num_taps % 4 == 0) {
        float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
        const float4 *p = reinterpret_cast<const float4 *>(in + i);
        float4 b = *p;
        for (int k = 0; k < num_taps; k += 4) {
            float4 a = *--p;  // in[i - k - 4 … i - k - 1]; b is in[i - k … i - k + 3]
            float4 w = weights[k / 4];
            s0 += w.x * b.x; s1 += w.x * b.y; s2 += w.x * b.z; s3 += w.x * b.w;
            s0 += w.y * a.w; s1 += w.y * b.x; s2 += w.y * b.y; s3 += w.y * b.z;
            s0 += w.z * a.z; s1 += w.z * a.w; s2 += w.z * b.x; s3 += w.z * b.y;
            s0 += w.w * a.y; s1 += w.w * a.z; s2 += w.w * a.w; s3 += w.w * b.x;
            b = a;
        }
        *reinterpret_cast<float4 *>(out + i) = make_float4(s0, s1, s2, s3);
    } else {
        const float *w = reinterpret_cast<const float *>(weights);
        for (int j = i; j < i + 4 && j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < num_taps; k++) {
                if (j - k >= 0)
                    sum += w[k] * in[j - k];
            }
            out[j] = sum;
        }
    }
}
