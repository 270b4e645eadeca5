// Attention of one query per head over a cache of keys and values (decoding): one block per head.
#include <math.h>

#define MAX_LENGTH 2048

extern "C" __global__ void attention_decode(const float *q, const float *k, const float *v, float *out, int length,
                                            int dim) {
    __shared__ float scores[MAX_LENGTH];
    __shared__ float max_score, total;
    const float *query = q + blockIdx.x * dim;
    const float *keys = k + (size_t)blockIdx.x * length * dim;
    const float *values = v + (size_t)blockIdx.x * length * dim;

    for (int t = threadIdx.x; t < length; t += blockDim.x) {
        float dot = 0.0f;
        for (int d = 0; d < dim; d++)
            dot += query[d] * keys[t * dim + d];
        scores[t] = dot / sqrtf((float)dim);
    }
    __syncthreads();

    if (threadIdx.x == 0) {
        max_score = scores[0];
        for (int t = 1; t < length; t++)
            max_score = fmaxf(max_score, scores[t]);
        total = 0.0f;
        for (int t = 0; t < length; t++) {
            scores[t] = expf(scores[t] - max_score);
            total += scores[t];
        }
    }
    __syncthreads();

    for (int d = threadIdx.x; d < dim; d += blockDim.x) {
        float sum = 0.0f;
        for (int t = 0; t < length; t++)
            sum += scores[t] * values[t * dim + d];
        out[blockIdx.x * dim + d] = sum / total;
    }
}
