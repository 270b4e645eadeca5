// Gradient of the logistic loss: 16 lanes per sample, each of which adds its share of 4 features to the gradient of
// the block in shared memory (64 features).
#include <math.h>

extern "C" __global__ void logistic_gradient(const float *x, const int *labels, const float *weights, float bias,
                                             float *gradient, int samples, int features) {
    __shared__ float bins[64 * 32];
    for (int w = threadIdx.x; w < 64 * 32; w += blockDim.x)
        bins[w] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < samples * 16; i += gridDim.x * blockDim.x) {
        int row = i / 16;
        int lane = threadIdx.x % 16;
        float z = bias;
        for (int j = 0; j < features; j += 4) {
            float4 a = *(const float4 *)&x[row * features + j];
            float4 b = *(const float4 *)&weights[j];
            z += a.x * b.x;
            z += a.y * b.y;
            z += a.z * b.z;
            z += a.w * b.w;
        }
        float error = 1.0f / (1.0f + expf(-z)) - labels[row];
        float4 value = ((const float4 *)(x + row * features))[lane];
        int l = threadIdx.x % 32;
        atomicAdd(&bins[(lane * 4) * 32 + l % 32], error * value.x / samples);
        atomicAdd(&bins[(lane * 4 + 1) * 32 + l % 32], error * value.y / samples);
        atomicAdd(&bins[(lane * 4 + 2) * 32 + l % 32], error * value.z / samples);
        atomicAdd(&bins[(lane * 4 + 3) * 32 + l % 32], error * value.w / samples);
    }
    __syncthreads();
    for (int w = threadIdx.x; w < 64; w += blockDim.x) {
        float sum = 0.0f;
        for (int copy = 0; copy < 32; copy++)
            sum += bins[w * 32 + copy];
        atomicAdd(&gradient[w], sum);
    }
}
