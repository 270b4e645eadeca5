// Link prediction: for each pair of nodes, how many neighbours of the first are also neighbours of the second. Every
// node has `degree` neighbours, in no order. One thread per pair.
extern "C" __global__ void common_neighbours(const int *neighbours, const int *first, const int *second, int *counts,
                                             int pairs, int degree) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs)
        return;

    const int *a = neighbours + first[p] * degree;
    const int *b = neighbours + second[p] * degree;
    int count = 0;
    for (int i = 0; i < degree; i++) {
        for (int j = 0; j < degree; j++) {
            if (a[i] == b[j]) {
                count++;
                break;
            }
        }
    }
    counts[p] = count;
}
