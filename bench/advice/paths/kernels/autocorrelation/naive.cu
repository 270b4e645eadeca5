// Autocorrelation of many signals: one block per signal, one thread per lag.
extern "C" __global__ void autocorrelation(const float *signals, float *out, int samples, int lags) {
    int channel = blockIdx.x;
    int lag = threadIdx.x;
    if (lag >= lags)
        return;

    const float *x = signals + channel * samples;
    float sum = 0.0f;
    for (int t = 0; t + lag < samples; t++)
        sum += x[t] * x[t + lag];
    out[channel * lags + lag] = sum / (samples - lag);
}
