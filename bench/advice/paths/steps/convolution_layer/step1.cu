// Convolution layer of a neural network: 3 x 3 filters over all input channels, padding 1, images in NCHW order.
// One thread per output element, x over the pixels of a plane, z over images and output channels.
extern "C" __global__ void convolution_layer(const float *x, const float *weights, float *out, int images,
                                             int in_channels, int out_channels, int height, int width) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    int row = pixel / width;
    int col = pixel % width;
    int image = blockIdx.z / out_channels;
    int out_channel = blockIdx.z % out_channels;
    if (image >= images || row >= height)  // never, if the plane is a multiple of the block
        return;

    float sum = 0.0f;
    for (int c = 0; c < in_channels; c++) {
        for (int ky = 0; ky < 3; ky++) {
            for (int kx = 0; kx < 3; kx++) {
                int y = row + ky - 1;
                int xx = col + kx - 1;
                if (y >= 0 && y < height && xx >= 0 && xx < width)
                    sum += x[((image * in_channels + c) * height + y) * width + xx] *
                           weights[((out_channel * in_channels + c) * 3 + ky) * 3 + kx];
            }
        }
    }
    out[((image * out_channels + out_channel) * height + row) * width + col] = sum;
}
