// Nearest neighbour by Hamming distance among binary codes of 256 bits: one warp per query tries all codes, which
// are staged in shared memory in tiles of 128; each lane tries 1/32 of them.
#define WORDS 8
#define TILE 128

extern "C" __global__ void nearest_code(const unsigned *queries, const unsigned *codes, int *nearest, int *distance,
                                        int num_queries, int num_codes) {
    __shared__ uint4 tile4[TILE * WORDS / 4];
    const unsigned *tile = reinterpret_cast<const unsigned *>(tile4);
    const uint4 *codes4 = reinterpret_cast<const uint4 *>(codes);
    int q = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int best = 0;
    int best_distance = 32 * WORDS + 1;
    for (int c0 = 0; c0 < num_codes; c0 += TILE) {
        int count = min(TILE, num_codes - c0);
        for (int i = threadIdx.x; i < count * (WORDS / 4); i += blockDim.x)
            tile4[i] = codes4[c0 * (WORDS / 4) + i];
        __syncthreads();
        if (q < num_queries) {
            for (int k = lane; k < count; k += 32) {
                int d = 0;
                for (int w = 0; w < WORDS; w++)
                    d += __popc(queries[q * WORDS + w] ^ tile[k * WORDS + w]);
                if (d < best_distance) {
                    best_distance = d;
                    best = c0 + k;
                }
            }
        }
        __syncthreads();
    }
    // The best of the lanes; of equal ones, the first code.
    for (int offset = 16; offset > 0; offset /= 2) {
        int other_distance = __shfl_down_sync(0xffffffff, best_distance, offset);
        int other = __shfl_down_sync(0xffffffff, best, offset);
        if (other_distance < best_distance || (other_distance == best_distance && other < best)) {
            best_distance = other_distance;
            best = other;
        }
    }
    if (lane == 0 && q < num_queries) {
        nearest[q] = best;
        distance[q] = best_distance;
    }
}
