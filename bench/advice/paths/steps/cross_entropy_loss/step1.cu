// Cross-entropy of logits and class labels: one block of 256 threads per row, the row in 32 registers per thread.
extern "C" __global__ void cross_entropy_loss(const float *logits, const int *labels, float *loss, int rows,
                                              int classes) {
    __shared__ float part[32];
    __shared__ float shared_largest;
    int row = blockIdx.x;
    int lane = threadIdx.x;
    bool valid = row < rows;
    const float *x = logits + (valid ? row : 0) * classes;
    // The first n4 float4s of the row live in registers; what does not fit (or is not aligned) is read singly.
    int n4 = classes % 4 ? 0 : (classes / 4 < 8 * 256 ? classes / 4 : 8 * 256);
    float4 r[8];
    float largest = -INFINITY;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int j = lane + k * 256;
        r[k] = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        if (valid && j < n4)
            r[k] = reinterpret_cast<const float4 *>(x)[j];
        largest = fmaxf(largest, fmaxf(fmaxf(r[k].x, r[k].y), fmaxf(r[k].z, r[k].w)));
    }
    if (valid)
        for (int j = n4 * 4 + lane; j < classes; j += 256)
            largest = fmaxf(largest, x[j]);
    for (int d = 16; d > 0; d /= 2)
        largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, d, 32));
    if (lane % 32 == 0)
        part[lane / 32] = largest;
    __syncthreads();
    if (lane < 32) {
        largest = lane < 8 ? part[lane] : -INFINITY;
        for (int d = 16; d > 0; d /= 2)
            largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, d, 32));
        if (lane == 0)
            shared_largest = largest;
    }
    __syncthreads();
    largest = shared_largest;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        sum += expf(r[k].x - largest);
        sum += expf(r[k].y - largest);
        sum += expf(r[k].z - largest);
        sum += expf(r[k].w - largest);
    }
    if (valid)
        for (int j = n4 * 4 + lane; j < classes; j += 256)
            sum += expf(x[j] - largest);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d, 32);
    if (lane % 32 == 0)
        part[lane / 32] = sum;
    __syncthreads();
    if (lane < 32) {
        sum = lane < 8 ? part[lane] : 0.0f;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d, 32);
        if (lane == 0 && valid)
            loss[row] = logf(sum) + largest - x[labels[row]];
    }
}
