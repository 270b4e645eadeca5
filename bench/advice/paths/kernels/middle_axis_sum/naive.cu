// Sum over the middle axis of an array [outer][middle][inner]: one thread per element of the result.
extern "C" __global__ void middle_axis_sum(const float *in, float *out, int outer, int middle, int inner) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < outer * inner) {
        int o = index / inner;
        int i = index % inner;
        float sum = 0.0f;
        for (int m = 0; m < middle; m++)
            sum += in[(o * middle + m) * inner + i];
        out[index] = sum;
    }
}
