// Manhattan (L1) distances between all pairs of two sets of vectors: one thread per pair.
extern "C" __global__ void manhattan_distances(const float *a, const float *b, float *distances, int n, int m,
                                               int dim) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= m)
        return;
    float sum = 0.0f;
    for (int k = 0; k < dim; k++)
        sum += fabsf(a[i * dim + k] - b[j * dim + k]);
    distances[i * m + j] = sum;
}
