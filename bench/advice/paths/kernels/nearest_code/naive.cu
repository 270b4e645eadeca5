// Nearest neighbour by Hamming distance among binary codes of 256 bits: one thread per query tries all codes.
#define WORDS 8

extern "C" __global__ void nearest_code(const unsigned *queries, const unsigned *codes, int *nearest, int *distance,
                                        int num_queries, int num_codes) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= num_queries)
        return;
    int best = 0;
    int best_distance = 32 * WORDS + 1;
    for (int c = 0; c < num_codes; c++) {
        int d = 0;
        for (int w = 0; w < WORDS; w++)
            d += __popc(queries[q * WORDS + w] ^ codes[c * WORDS + w]);
        if (d < best_distance) {
            best_distance = d;
            best = c;
        }
    }
    nearest[q] = best;
    distance[q] = best_distance;
}
