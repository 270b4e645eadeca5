// Counts the bytes that are equal to a value: four adjacent bytes per thread.
extern "C" __global__ void count_bytes(const unsigned char *text, int n, int value, unsigned int *count) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        uchar4 t = *(const uchar4 *)(text + i);
        if (t.x == value)
            atomicAdd(count, 1);
        if (t.y == value)
            atomicAdd(count, 1);
        if (t.z == value)
            atomicAdd(count, 1);
        if (t.w == value)
            atomicAdd(count, 1);
    } else {
        for (; i < n; i++)
            if (text[i] == value)
                atomicAdd(count, 1);
    }
}
