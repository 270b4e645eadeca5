// Graph neural network, aggregation: every node gets the mean of its neighbours' feature vectors. Eight lanes per node.
extern "C" __global__ void graph_neighbour_mean(const int *edge_start, const int *neighbours, const float *features,
                                                float *means, int nodes, int size) {
    __shared__ int shared_row[32][16]; // blocks of 256 threads: 32 rows; the first 16 elements of each
    int node = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    int lane = threadIdx.x % 8;
    int start = 0, end = 0;
    if (node < nodes) {
        start = edge_start[node];
        end = edge_start[node + 1];
    }
    // the row, once, into two registers per lane; the other lanes get it through shared memory
    int first = start + lane < end ? neighbours[start + lane] : 0;
    int second = start + lane + 8 < end ? neighbours[start + lane + 8] : 0;
    int *row = shared_row[threadIdx.x / 8];
    row[lane] = first;
    row[lane + 8] = second;
    __syncwarp();
    if (node < nodes) {
        // each lane computes 1/8 of the row's results
        for (int f = lane; f < size; f += 8) {
            float sum = 0.0f;
            int shared_end = min(end, start + 16);
            // for all lanes, chosen with ?: (row[] is 0 past the end)
            for (int k = 0; k < 16; k++) {
                float value = features[row[k] * size + f];
                sum += start + k < end ? value : 0.0f;
            }
            for (int e = shared_end; e < end; e++)
                sum += features[neighbours[e] * size + f];
            means[node * size + f] = end > start ? sum / (end - start) : 0.0f;
        }
    }
}
