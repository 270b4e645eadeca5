// Score of the best local alignment (Smith-Waterman, linear gap costs) of each pair of DNA sequences: one thread per
// pair, which keeps one row of the table. The lower two bits of a byte are the base.
#define LENGTH 128

extern "C" __global__ void smith_waterman(const unsigned char *first, const unsigned char *second, int *score,
                                          int pairs, int match, int mismatch, int gap) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs)
        return;
    const unsigned char *a = first + pair * LENGTH;
    const unsigned char *b = second + pair * LENGTH;
    int row[LENGTH + 1];
    for (int j = 0; j <= LENGTH; j++)
        row[j] = 0;
    int best = 0;
    for (int i = 0; i < LENGTH; i++) {
        int diagonal = 0;
        for (int j8 = 1; j8 <= LENGTH; j8 += 8) {
            uint2 eight = *reinterpret_cast<const uint2 *>(b + j8 - 1); // 8 elements of b at once
#pragma unroll
            for (int k = 0; k < 8; k++) {
                int j = j8 + k;
                unsigned element = (k < 4 ? eight.x : eight.y) >> (8 * (k % 4));
                int value = diagonal + ((a[i] & 3) == (element & 3) ? match : mismatch);
                value = max(value, row[j] - gap);
                value = max(value, row[j - 1] - gap);
                value = max(value, 0);
                diagonal = row[j];
                row[j] = value;
                best = max(best, value);
            }
        }
    }
    score[pair] = best;
}
