// Convolution layer of a neural network: 3 x 3 filters over all input channels, padding 1, images in NCHW order.
// One thread per output element, x over the pixels of a plane, z over images and output channels. The weights of the
// output channel are kept in shared memory, 64 input channels at a time.
#define CHANNELS 64
extern "C" __global__ void convolution_layer(const float *x, const float *weights, float *out, int images,
                                             int in_channels, int out_channels, int height, int width) {
    __shared__ float w[CHANNELS * 9];
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    int row = pixel / width;
    int col = pixel % width;
    int image = blockIdx.z / out_channels;
    int out_channel = blockIdx.z % out_channels;
    if (image >= images)  // the whole block
        return;

    float sum = 0.0f;
    for (int c0 = 0; c0 < in_channels; c0 += CHANNELS) {
        int channels = min(CHANNELS, in_channels - c0);
        __syncthreads();
        for (int i = threadIdx.x; i < channels * 9; i += blockDim.x)
            w[i] = weights[(out_channel * in_channels + c0) * 9 + i];
        __syncthreads();
        if (row < height) {
            for (int c = 0; c < channels; c++) {
                for (int ky = 0; ky < 3; ky++) {
                    for (int kx = 0; kx < 3; kx++) {
                        int y = row + ky - 1;
                        int xx = col + kx - 1;
                        if (y >= 0 && y < height && xx >= 0 && xx < width)
                            sum += x[((image * in_channels + c0 + c) * height + y) * width + xx] *
                                   w[(c * 3 + ky) * 3 + kx];
                    }
                }
            }
        }
    }
    if (row < height)
        out[((image * out_channels + out_channel) * height + row) * width + col] = sum;
}
