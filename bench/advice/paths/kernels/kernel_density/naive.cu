// Density of points in the plane, estimated with Gaussian kernels: one thread per place where it is wanted.
#include <math.h>

extern "C" __global__ void kernel_density(const float *sample_x, const float *sample_y, const float *query_x,
                                          const float *query_y, float *density, int samples, int queries,
                                          float bandwidth) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries)
        return;
    float sum = 0.0f;
    for (int s = 0; s < samples; s++) {
        float dx = (query_x[q] - sample_x[s]) / bandwidth;
        float dy = (query_y[q] - sample_y[s]) / bandwidth;
        sum += expf(-0.5f * (dx * dx + dy * dy));
    }
    density[q] = sum / (samples * 2.0f * 3.14159265f * bandwidth * bandwidth);
}
