// The predicted class of each sample: the index of the largest score in its row (the first one of equal ones).
// One thread per row; each warp moves tiles of 32 rows x 32 elements through shared memory. Blocks of 256 threads.
extern "C" __global__ void argmax_rows(const float *scores, int *best_class, int rows, int classes) {
    __shared__ float tiles[8][32][33];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float (*tile)[33] = tiles[threadIdx.x / 32];
    int first_row = row - lane;

    int best = 0;
    float best_score = 0.0f;
    for (int j0 = 0; j0 < classes; j0 += 32) {
        for (int r = 0; r < 32; r++) {
            if (first_row + r < rows && j0 + lane < classes)
                tile[r][lane] = scores[(first_row + r) * classes + j0 + lane];
        }
        __syncwarp();
        if (row < rows) {
            int end = min(32, classes - j0);
            for (int j = 0; j < end; j++) {
                float v = tile[lane][j];
                if (j0 + j == 0 || v > best_score) {
                    best = j0 + j;
                    best_score = v;
                }
            }
        }
        __syncwarp();
    }
    if (row < rows)
        best_class[row] = best;
}
