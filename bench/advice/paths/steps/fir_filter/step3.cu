// Finite impulse response filter: out[i] = sum of taps[k] * in[i - k]; the signal is 0 before it starts.
// Two adjacent lanes share a row of sixteen results: they load its elements alternately (as float4) into
// shared memory, and each computes eight adjacent results.
#define MAX_TAPS 1024
#define THREADS 256
#define ROW 16
#define RESULTS 8
#define TILE (THREADS * RESULTS)

static __device__ __forceinline__ float4 load4(const float *in, int j, int n) {
    if (j >= 0 && j + 4 <= n)
        return *reinterpret_cast<const float4 *>(in + j);
    float4 a;
    a.x = j >= 0 && j < n ? in[j] : 0.0f;
    a.y = j + 1 >= 0 && j + 1 < n ? in[j + 1] : 0.0f;
    a.z = j + 2 >= 0 && j + 2 < n ? in[j + 2] : 0.0f;
    a.w = j + 3 >= 0 && j + 3 < n ? in[j + 3] : 0.0f;
    return a;
}

extern "C" __global__ void fir_filter(const float *in, const float *taps, float *out, int n, int num_taps) {
    __shared__ __align__(16) float weights[MAX_TAPS];
    __shared__ __align__(16) float tile[MAX_TAPS + TILE];
    int base = blockIdx.x * TILE;
    int i = base + threadIdx.x * RESULTS;
    if (num_taps > MAX_TAPS || blockDim.x != THREADS) {
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) {
            float sum = 0.0f;
            for (int k = 0; k < num_taps; k++) {
                if (j - k >= 0)
                    sum += taps[k] * in[j - k];
            }
            out[j] = sum;
        }
        return;
    }

    int halo = (num_taps + 3) / 4 * 4;
    for (int k = threadIdx.x; k < halo; k += THREADS)
        weights[k] = k < num_taps ? taps[k] : 0.0f;
    // the elements before the first row
    for (int k = threadIdx.x * 4; k < halo; k += THREADS * 4)
        *reinterpret_cast<float4 *>(tile + k) = load4(in, base - halo + k, n);
    // the elements of the row: lane l takes l, l + 2
    int row = threadIdx.x / 2 * ROW;
    int lane = threadIdx.x % 2;
#pragma unroll
    for (int e = 0; e < ROW / 4; e += 2) {
        int j = row + (e + lane) * 4;
        *reinterpret_cast<float4 *>(tile + halo + j) = load4(in, base + j, n);
    }
    __syncthreads();

    if (i >= n)
        return;
    const float *p = tile + halo + threadIdx.x * RESULTS;
    float sum[RESULTS];
    float v[RESULTS + 4];  // in[i - k - 4] … in[i - k + RESULTS - 1]
#pragma unroll
    for (int r = 0; r < RESULTS; r++)
        sum[r] = 0.0f;
#pragma unroll
    for (int r = 0; r < RESULTS; r += 4) {
        float4 a = *reinterpret_cast<const float4 *>(p + r);
        v[r + 4] = a.x;
        v[r + 5] = a.y;
        v[r + 6] = a.z;
        v[r + 7] = a.w;
    }
#pragma unroll 4
    for (int k = 0; k < halo; k += 4) {
        float4 a = *reinterpret_cast<const float4 *>(p - k - 4);
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
    if (i + RESULTS <= n) {
#pragma unroll
        for (int r = 0; r < RESULTS; r += 4)
            *reinterpret_cast<float4 *>(out + i + r) = make_float4(sum[r], sum[r + 1], sum[r + 2], sum[r + 3]);
    } else {
#pragma unroll
        for (int r = 0; r < RESULTS; r++)
            if (i + r < n)
                out[i + r] = sum[r];
    }
}
