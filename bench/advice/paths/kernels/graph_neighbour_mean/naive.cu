// Graph neural network, aggregation: every node gets the mean of its neighbours' feature vectors. One thread per node.
extern "C" __global__ void graph_neighbour_mean(const int *edge_start, const int *neighbours, const float *features,
                                                float *means, int nodes, int size) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes)
        return;
    int start = edge_start[node], end = edge_start[node + 1];
    for (int f = 0; f < size; f++) {
        float sum = 0.0f;
        for (int e = start; e < end; e++)
            sum += features[neighbours[e] * size + f];
        means[node * size + f] = end > start ? sum / (end - start) : 0.0f;
    }
}
