// Counts the bytes that are equal to a value: one thread per byte.
extern "C" __global__ void count_bytes(const unsigned char *text, int n, int value, unsigned int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && text[i] == value)
        atomicAdd(count, 1);
}
