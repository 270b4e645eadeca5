// Counts the bytes that are equal to a value: one thread per 4 adjacent bytes.
extern "C" __global__ void count_bytes(const unsigned char *text, int n, int value, unsigned int *count) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    unsigned int found = 0;
    if (i + 3 < n) {
        uchar4 t = *reinterpret_cast<const uchar4 *>(text + i);
        found = (t.x == value) + (t.y == value) + (t.z == value) + (t.w == value);
    } else {
        for (; i < n; i++)
            found += text[i] == value;
    }
    if (found)
        atomicAdd(count, found);
}
