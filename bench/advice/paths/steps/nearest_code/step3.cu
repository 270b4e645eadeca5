// Nearest neighbour by Hamming distance among binary codes of 256 bits: one warp per two adjacent queries tries all
// codes, which are staged in shared memory in tiles of 128; each lane tries 1/32 of them, and uses every code that it
// loads for both queries.
#define WORDS 8
#define TILE 128
#define RESULTS 2

extern "C" __global__ void nearest_code(const unsigned *queries, const unsigned *codes, int *nearest, int *distance,
                                        int num_queries, int num_codes) {
    __shared__ uint4 tile[TILE * WORDS / 4];
    const uint4 *codes4 = reinterpret_cast<const uint4 *>(codes);
    int q = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * RESULTS;
    int lane = threadIdx.x % 32;
    int best[RESULTS];
    int best_distance[RESULTS];
    const unsigned *query[RESULTS];
    for (int r = 0; r < RESULTS; r++) {
        best[r] = 0;
        best_distance[r] = 32 * WORDS + 1;
        query[r] = queries + min(q + r, num_queries - 1) * WORDS;
    }
    for (int c0 = 0; c0 < num_codes; c0 += TILE) {
        int count = min(TILE, num_codes - c0);
        for (int i = threadIdx.x; i < count * (WORDS / 4); i += blockDim.x)
            tile[i] = codes4[c0 * (WORDS / 4) + i];
        __syncthreads();
        for (int k = lane; k < count; k += 32) {
            int d[RESULTS] = {};
            for (int w = 0; w < WORDS / 4; w++) {
                uint4 code = tile[k * (WORDS / 4) + w];
                for (int r = 0; r < RESULTS; r++) {
                    d[r] += __popc(query[r][4 * w] ^ code.x);
                    d[r] += __popc(query[r][4 * w + 1] ^ code.y);
                    d[r] += __popc(query[r][4 * w + 2] ^ code.z);
                    d[r] += __popc(query[r][4 * w + 3] ^ code.w);
                }
            }
            for (int r = 0; r < RESULTS; r++) {
                if (d[r] < best_distance[r]) {
                    best_distance[r] = d[r];
                    best[r] = c0 + k;
                }
            }
        }
        __syncthreads();
    }
    // The best of the lanes; of equal ones, the first code.
    for (int r = 0; r < RESULTS; r++) {
        for (int offset = 16; offset > 0; offset /= 2) {
            int other_distance = __shfl_down_sync(0xffffffff, best_distance[r], offset);
            int other = __shfl_down_sync(0xffffffff, best[r], offset);
            if (other_distance < best_distance[r] || (other_distance == best_distance[r] && other < best[r])) {
                best_distance[r] = other_distance;
                best[r] = other;
            }
        }
        if (lane == 0 && q + r < num_queries) {
            nearest[q + r] = best[r];
            distance[q + r] = best_distance[r];
        }
    }
}
