// The predicted class of each sample: the index of the largest score in its row (the first one of equal ones).
// One thread per row.
extern "C" __global__ void argmax_rows(const float *scores, int *best_class, int rows, int classes) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        int best = 0;
        for (int j = 1; j < classes; j++) {
            if (scores[row * classes + j] > scores[row * classes + best])
                best = j;
        }
        best_class[row] = best;
    }
}
