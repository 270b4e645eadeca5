// Mean and variance of each channel of a batch of images (N, C, H * W), for batch normalisation: one block per channel.
extern "C" __global__ void batch_norm_statistics(const float *x, float *mean, float *variance, int images, int channels,
                                                 int pixels) {
    __shared__ float sums[256];
    __shared__ float squares[256];
    int channel = blockIdx.x;
    int t = threadIdx.x;

    float sum = 0.0f;
    float square = 0.0f;
    int step = blockDim.x;
    int end = images * pixels;
    int i = t;
    for (; i + 7 * step < end; i += 8 * step) {
        float v[8];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int e = i + j * step;
            int image = e / pixels;
            int pixel = e % pixels;
            v[j] = x[(image * channels + channel) * pixels + pixel];
        }
#pragma unroll
        for (int j = 0; j < 8; j++) {
            sum += v[j];
            square += v[j] * v[j];
        }
    }
    for (; i < end; i += step) {
        int image = i / pixels;
        int pixel = i % pixels;
        float v = x[(image * channels + channel) * pixels + pixel];
        sum += v;
        square += v * v;
    }
    sums[t] = sum;
    squares[t] = square;
    __syncthreads();

    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) {
            sums[t] += sums[t + step];
            squares[t] += squares[t + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        float m = sums[0] / (images * pixels);
        mean[channel] = m;
        variance[channel] = squares[0] / (images * pixels) - m * m;
    }
}
