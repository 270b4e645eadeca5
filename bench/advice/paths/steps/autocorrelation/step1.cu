// Autocorrelation of many signals: one block per signal, one thread per lag.
// A tile of the signal, plus the samples up to the largest lag, is staged in shared memory.
#define TILE 1024
#define MAX_THREADS 1024

extern "C" __global__ void autocorrelation(const float *signals, float *out, int samples, int lags) {
    __shared__ float tile[TILE + MAX_THREADS];
    int channel = blockIdx.x;
    int lag = threadIdx.x;

    const float *x = signals + channel * samples;
    float sum = 0.0f;
    for (int t0 = 0; t0 < samples; t0 += TILE) {
        int needed = min(TILE + (int)blockDim.x, samples - t0);
        for (int k = threadIdx.x; k < needed; k += blockDim.x)
            tile[k] = x[t0 + k];
        __syncthreads();
        int end = min(TILE, samples - lag - t0);
        for (int t = 0; t < end; t++)
            sum += tile[t] * tile[t + lag];
        __syncthreads();
    }
    if (lag < lags)
        out[channel * lags + lag] = sum / (samples - lag);
}
