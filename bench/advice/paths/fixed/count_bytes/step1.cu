// Counts the bytes that are equal to a value: one thread per byte.
extern "C" __global__ void count_bytes(const unsigned char *text, int n, int value, unsigned int *count) {
    __shared__ unsigned int count_block;
    if (threadIdx.x == 0) count_block = 0;
    unsigned int count_thread = 0;
    __syncthreads();
    // Does the work of 1048576 blocks.
    #pragma unroll 4
    for (unsigned b = blockIdx.x; b < 1048576; b += gridDim.x) {
    const uint3 block_index = {b, 0, 0};
    int i = block_index.x * blockDim.x + threadIdx.x;
    if (i < n && text[i] == value)
        count_thread += ( 1);
    }
    for (int offset = 16; offset > 0; offset /= 2) count_thread += __shfl_down_sync(0xffffffff, count_thread, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(&count_block, count_thread);
    __syncthreads();
    if (threadIdx.x == 0 && count_block != 0) atomicAdd(count, count_block);
}
