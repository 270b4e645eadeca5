// Embedding bag: the mean of the table's rows that each bag lists. One block per bag, one thread per column.
extern "C" __global__ void embedding_bag(const int *bag_start, const int *indices, const float *table, float *out,
                                         int bags, int dim) {
    __shared__ int bag_indices[56];
    int bag = blockIdx.x;
    int d = threadIdx.x;
    if (bag >= bags)
        return;
    int start = bag_start[bag];
    int count = bag_start[bag + 1] - start;
    for (int i = threadIdx.x; i < 56; i += blockDim.x)
        if (i < count)
            bag_indices[i] = indices[start + i];
    __syncthreads();
    if (d >= dim)
        return;
    float sum = 0.0f;
    int i = 0;
    for (; i < count && i < 56; i++)
        sum += table[(size_t)bag_indices[i] * dim + d];
    for (; i < count; i++) // what lies past the 56
        sum += table[(size_t)indices[start + i] * dim + d];
    out[bag * dim + d] = count > 0 ? sum / count : 0.0f;
}
