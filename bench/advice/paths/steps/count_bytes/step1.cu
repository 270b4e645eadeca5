// Counts the bytes that are equal to a value: four adjacent bytes per thread.
extern "C" __global__ void count_bytes(const unsigned char *text, int n, int value, unsigned int *count) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= n)
        return;
    unsigned int matches = 0;
    if (i + 4 <= n) {
        uchar4 v = *reinterpret_cast<const uchar4 *>(text + i);
        matches = (v.x == value) + (v.y == value) + (v.z == value) + (v.w == value);
    } else {
        for (int j = i; j < n; j++)
            matches += text[j] == value;
    }
    if (matches)
        atomicAdd(count, matches);
}
