// Gradient of an embedding table: adds the gradient of each token to the row of its word. One block per token, one
// thread per element of the row.
extern "C" __global__ void embedding_gradient(const float *grad, const int *words, float *table_grad, int tokens,
                                              int dim) {
    int token = blockIdx.x;
    int d = threadIdx.x;
    if (token < tokens && d < dim) {
        int word = words[token];
        atomicAdd(&table_grad[word * dim + d], grad[token * dim + d]);
    }
}
