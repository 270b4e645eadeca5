// Column-store filter: evaluates  discount BETWEEN lo AND hi AND quantity < qmax
// and writes, for every chunk of 1024 rows, the selection vector (row numbers inside
// the chunk, ascending) and the number of selected rows. One block per chunk.

#define CHUNK 1024

__device__ __forceinline__ bool predicate(float discount, int quantity,
                                          float lo, float hi, int qmax)
{
    return discount >= lo && discount <= hi && quantity < qmax;
}

// inclusive prefix sum over the CHUNK flags of the block
__device__ __forceinline__ int block_scan(int *warp_sum, int v)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const unsigned m = __ballot_sync(0xffffffffu, v);
    if (lane == 0) warp_sum[warp] = __popc(m);
    __syncthreads();
    int w = warp_sum[lane];             // CHUNK / 32 == 32 warps
    w = __reduce_add_sync(0xffffffffu, lane < warp ? w : 0);
    return w + __popc(m & (0xffffffffu >> (31 - lane)));
}

extern "C" __global__ void __launch_bounds__(CHUNK)
select_chunk(const float *__restrict__ discount, const int *__restrict__ quantity,
             unsigned short *__restrict__ selection, int *__restrict__ selected,
             int rows, float lo, float hi, int qmax)
{
    __shared__ int buf[CHUNK / 32];
    const size_t chunk0 = (size_t)blockIdx.x * CHUNK;
    const size_t row = chunk0 + threadIdx.x;

    int keep = 0;
    if (row < rows)
        keep = predicate(discount[row], quantity[row], lo, hi, qmax) ? 1 : 0;

    const int pos = block_scan(buf, keep);

    if (keep)
        selection[chunk0 + pos - 1] = (unsigned short)threadIdx.x;
    if (threadIdx.x == CHUNK - 1)
        selected[blockIdx.x] = pos;
}
