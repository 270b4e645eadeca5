// Embedding bag: the mean of the table's rows that each bag lists. One block per bag, one thread per column.
extern "C" __global__ void embedding_bag(const int *bag_start, const int *indices, const float *table, float *out,
                                         int bags, int dim) {
    int bag = blockIdx.x;
    int d = threadIdx.x;
    if (bag >= bags || d >= dim)
        return;
    int count = bag_start[bag + 1] - bag_start[bag];
    float sum = 0.0f;
    for (int i = bag_start[bag]; i < bag_start[bag + 1]; i++)
        sum += table[(size_t)indices[i] * dim + d];
    out[bag * dim + d] = count > 0 ? sum / count : 0.0f;
}
