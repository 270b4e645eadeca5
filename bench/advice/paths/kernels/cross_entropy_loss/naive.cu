// Cross-entropy of logits and class labels: one thread per row.
extern "C" __global__ void cross_entropy_loss(const float *logits, const int *labels, float *loss, int rows,
                                              int classes) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        const float *x = logits + row * classes;
        float largest = x[0];
        for (int j = 1; j < classes; j++)
            largest = fmaxf(largest, x[j]);
        float sum = 0.0f;
        for (int j = 0; j < classes; j++)
            sum += expf(x[j] - largest);
        loss[row] = logf(sum) + largest - x[labels[row]];
    }
}
