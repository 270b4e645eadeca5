// Sum over the middle axis of an array [outer][middle][inner]: blockIdx.y takes one of gridDim.y parts of the sum.
extern "C" __global__ void middle_axis_sum(const float *in, float *out, int outer, int middle, int inner) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < outer * inner) {
        int o = index / inner;
        int i = index % inner;
        int part = (middle + gridDim.y - 1) / gridDim.y;
        int begin = blockIdx.y * part;
        int end = min(begin + part, middle);
        float sum = 0.0f;
        for (int m = begin; m < end; m++)
            sum += in[(o * middle + m) * inner + i];
        atomicAdd(&out[index], sum);
    }
}

extern "C" void launch(void **arguments, cudaStream_t stream) {
    const float *in = *(const float **)arguments[0];
    float *out = *(float **)arguments[1];
    int outer = *(int *)arguments[2], middle = *(int *)arguments[3], inner = *(int *)arguments[4];
    cudaMemsetAsync(out, 0, sizeof(float) * outer * inner, stream);
    middle_axis_sum<<<dim3((outer * inner + 255) / 256, 16), 256, 0, stream>>>(in, out, outer, middle, inner);
}
