// Sorts each row of unsigned integers: one block per row, one thread per element, bitonic sort in shared memory.
extern "C" __global__ void sort_rows(const unsigned *in, unsigned *out, int rows, int n) {
    __shared__ unsigned keys[1024];
    int row = blockIdx.x;
    int i = threadIdx.x;
    if (row >= rows)
        return;
    keys[i] = in[row * n + i];
    __syncthreads();

    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            // The n / 2 pairs belong to the first n / 2 threads: pair t is (e, e ^ j) with bit j of e clear.
            if (i < n / 2) {
                int e = 2 * i - (i & (j - 1));
                int partner = e ^ j;
                bool ascending = (e & k) == 0;
                if ((keys[e] > keys[partner]) == ascending) {
                    unsigned swap = keys[e];
                    keys[e] = keys[partner];
                    keys[partner] = swap;
                }
            }
            __syncthreads();
        }
    }
    out[row * n + i] = keys[i];
}
