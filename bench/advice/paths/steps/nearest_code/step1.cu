// Nearest neighbour by Hamming distance among binary codes of 256 bits: one thread per query tries all codes, which
// are staged in shared memory in tiles of 128.
#define WORDS 8
#define TILE 128 // = blockDim.x

extern "C" __global__ void nearest_code(const unsigned *queries, const unsigned *codes, int *nearest, int *distance,
                                        int num_queries, int num_codes) {
    __shared__ unsigned tile[TILE][WORDS];
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    int best = 0;
    int best_distance = 32 * WORDS + 1;
    for (int c0 = 0; c0 < num_codes; c0 += TILE) {
        if (c0 + (int)threadIdx.x < num_codes) {
            for (int w = 0; w < WORDS; w++)
                tile[threadIdx.x][w] = codes[(c0 + threadIdx.x) * WORDS + w];
        }
        __syncthreads();
        if (q < num_queries) {
            int count = min(TILE, num_codes - c0);
            for (int k = 0; k < count; k++) {
                int d = 0;
                for (int w = 0; w < WORDS; w++)
                    d += __popc(queries[q * WORDS + w] ^ tile[k][w]);
                if (d < best_distance) {
                    best_distance = d;
                    best = c0 + k;
                }
            }
        }
        __syncthreads();
    }
    if (q < num_queries) {
        nearest[q] = best;
        distance[q] = best_distance;
    }
}
