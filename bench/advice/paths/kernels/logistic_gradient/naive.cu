// Gradient of the logistic loss: one thread per sample, which adds its share to the gradient.
#include <math.h>

extern "C" __global__ void logistic_gradient(const float *x, const int *labels, const float *weights, float bias,
                                             float *gradient, int samples, int features) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= samples)
        return;
    float z = bias;
    for (int j = 0; j < features; j++)
        z += x[i * features + j] * weights[j];
    float error = 1.0f / (1.0f + expf(-z)) - labels[i];
    for (int j = 0; j < features; j++)
        atomicAdd(&gradient[j], error * x[i * features + j] / samples);
}
