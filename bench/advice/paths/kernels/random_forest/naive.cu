// Prediction of a random forest: one thread per sample walks down all trees (complete trees, stored like heaps) and
// averages the values of the leaves that it reaches.
extern "C" __global__ void random_forest(const float *samples, const int *feature, const float *threshold,
                                         const float *leaves, float *prediction, int num_samples, int num_features,
                                         int num_trees, int depth) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= num_samples)
        return;
    int inner = (1 << depth) - 1;
    float sum = 0.0f;
    for (int t = 0; t < num_trees; t++) {
        int node = 0;
        for (int d = 0; d < depth; d++) {
            float value = samples[s * num_features + feature[t * inner + node]];
            if (value < threshold[t * inner + node])
                node = 2 * node + 1;
            else
                node = 2 * node + 2;
        }
        sum += leaves[t * (inner + 1) + node - inner];
    }
    prediction[s] = sum / num_trees;
}
