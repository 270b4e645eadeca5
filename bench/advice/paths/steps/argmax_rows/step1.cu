// The predicted class of each sample: the index of the largest score in its row (the first one of equal ones).
// One thread per row; the row is read with float4 loads if rows are a multiple of 4 elements.
extern "C" __global__ void argmax_rows(const float *scores, int *best_class, int rows, int classes) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        int best = 0;
        if (classes % 4 == 0 && (reinterpret_cast<size_t>(scores) & 15) == 0) {
            for (int j = 0; j < classes; j += 4) {
                float4 v = *reinterpret_cast<const float4 *>(&scores[row * classes + j]);
                if (v.x > scores[row * classes + best])
                    best = j;
                if (v.y > scores[row * classes + best])
                    best = j + 1;
                if (v.z > scores[row * classes + best])
                    best = j + 2;
                if (v.w > scores[row * classes + best])
                    best = j + 3;
            }
        } else {
            for (int j = 1; j < classes; j++) {
                if (scores[row * classes + j] > scores[row * classes + best])
                    best = j;
            }
        }
        best_class[row] = best;
    }
}
