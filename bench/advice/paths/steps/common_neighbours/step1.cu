// Link prediction: for each pair of nodes, how many neighbours of the first are also neighbours of the second. Every
// node has `degree` neighbours, in no order. One warp per pair. Dynamic shared memory: one row of `degree` ints per warp.
extern "C" __global__ void common_neighbours(const int *neighbours, const int *first, const int *second, int *counts,
                                             int pairs, int degree) {
    extern __shared__ int rows[];
    int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (p >= pairs)
        return; // the whole warp

    const int *a = neighbours + first[p] * degree;
    const int *b = neighbours + second[p] * degree;
    int *row = rows + threadIdx.x / 32 * degree;
    for (int j = lane; j < degree; j += 32)
        row[j] = b[j];
    __syncwarp();

    int count = 0;
    for (int i = lane; i < degree; i += 32) {
        for (int j = 0; j < degree; j++) {
            if (a[i] == row[j]) {
                count++;
                break;
            }
        }
    }
    for (int offset = 16; offset > 0; offset /= 2)
        count += __shfl_down_sync(0xffffffff, count, offset);
    if (lane == 0)
        counts[p] = count;
}
