// Gradient of the logistic loss: 16 lanes per sample, each of which adds its share of 4 features to the gradient.
#include <math.h>

extern "C" __global__ void logistic_gradient(const float *x, const int *labels, const float *weights, float bias,
                                             float *gradient, int samples, int features) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
    int lane = threadIdx.x % 16;
    if (row < samples) {
        float z = bias;
        for (int j = 0; j < features; j++)
            z += x[row * features + j] * weights[j];
        float error = 1.0f / (1.0f + expf(-z)) - labels[row];
        float4 value = ((const float4 *)(x + row * features))[lane]; // 64 features
        atomicAdd(&gradient[lane * 4], error * value.x / samples);
        atomicAdd(&gradient[lane * 4 + 1], error * value.y / samples);
        atomicAdd(&gradient[lane * 4 + 2], error * value.z / samples);
        atomicAdd(&gradient[lane * 4 + 3], error * value.w / samples);
    }
}
