// Density of points in the plane, estimated with Gaussian kernels: one thread per place where it is wanted and
// part of the samples (gridDim.y parts). density must be zero before.
#include <math.h>

extern "C" __global__ void kernel_density(const float *sample_x, const float *sample_y, const float *query_x,
                                          const float *query_y, float *density, int samples, int queries,
                                          float bandwidth) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries)
        return;
    int part = (samples + gridDim.y - 1) / gridDim.y;
    int begin = blockIdx.y * part;
    int end = min(begin + part, samples);
    float reciprocal = 1.0f / bandwidth;
    float sum = 0.0f;
    for (int s = begin; s < end; s++) {
        float dx = (query_x[q] - sample_x[s]) * reciprocal;
        float dy = (query_y[q] - sample_y[s]) * reciprocal;
        sum += expf(-0.5f * (dx * dx + dy * dy));
    }
    atomicAdd(&density[q], sum / (samples * 2.0f * 3.14159265f * bandwidth * bandwidth));
}

extern "C" void launch(void **arguments, cudaStream_t stream) {
    const float *const *inputs[4] = {(const float **)arguments[0], (const float **)arguments[1],
                                     (const float **)arguments[2], (const float **)arguments[3]};
    float *density = *(float **)arguments[4];
    int samples = *(int *)arguments[5], queries = *(int *)arguments[6];
    float bandwidth = *(float *)arguments[7];
    cudaMemsetAsync(density, 0, queries * sizeof(float), stream);
    kernel_density<<<dim3(64, 32), 128, 0, stream>>>(*inputs[0], *inputs[1], *inputs[2], *inputs[3], density, samples,
                                                     queries, bandwidth);
}
