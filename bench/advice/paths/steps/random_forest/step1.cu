// Prediction of a random forest: one thread per sample walks down all trees (complete trees, stored like heaps) and
// averages the values of the leaves that it reaches.
extern "C" __global__ void random_forest(const float *samples, const int *feature, const float *threshold,
                                         const float *leaves, float *prediction, int num_samples, int num_features,
                                         int num_trees, int depth) {
    // The block's samples: a row of num_features + 1 floats per thread, so that no banks conflict.
    extern __shared__ float rows[];
    int first = blockIdx.x * blockDim.x;
    int in_block = min((int)blockDim.x, num_samples - first);
    int pitch = num_features + 1;
    if (num_features % 4 == 0) {
        int vectors = num_features / 4;  // per row
        const float4 *source = reinterpret_cast<const float4 *>(samples + (size_t)first * num_features);
        for (int i = threadIdx.x; i < in_block * vectors; i += blockDim.x) {
            float4 four = source[i];
            float *target = rows + i / vectors * pitch + i % vectors * 4;
            target[0] = four.x;
            target[1] = four.y;
            target[2] = four.z;
            target[3] = four.w;
        }
    } else {
        for (int i = threadIdx.x; i < in_block * num_features; i += blockDim.x)
            rows[i / num_features * pitch + i % num_features] = samples[(size_t)first * num_features + i];
    }
    __syncthreads();

    int s = first + threadIdx.x;
    if (s >= num_samples)
        return;
    const float *mine = rows + threadIdx.x * pitch;
    int inner = (1 << depth) - 1;
    float sum = 0.0f;
    for (int t = 0; t < num_trees; t++) {
        int node = 0;
        for (int d = 0; d < depth; d++) {
            float value = mine[feature[t * inner + node]];
            if (value < threshold[t * inner + node])
                node = 2 * node + 1;
            else
                node = 2 * node + 2;
        }
        sum += leaves[t * (inner + 1) + node - inner];
    }
    prediction[s] = sum / num_trees;
}
