// Counts the bytes that are equal to a value: grid-stride loop, 16 bytes at a time, one global atomic per block.
extern "C" __global__ void count_bytes(const unsigned char *text, int n, int value, unsigned int *count) {
    __shared__ unsigned int total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();

    const uint4 *text16 = (const uint4 *)text;
    int n16 = n / 16;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n16; i += gridDim.x * blockDim.x) {
        uint4 t = text16[i];
        unsigned int words[4] = {t.x, t.y, t.z, t.w};
        for (int w = 0; w < 4; w++) {
            if ((words[w] & 255) == value)
                atomicAdd(&total, 1);
            if (((words[w] >> 8) & 255) == value)
                atomicAdd(&total, 1);
            if (((words[w] >> 16) & 255) == value)
                atomicAdd(&total, 1);
            if ((words[w] >> 24) == value)
                atomicAdd(&total, 1);
        }
    }
    for (int i = n16 * 16 + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (text[i] == value)
            atomicAdd(&total, 1);

    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(count, total);
}
