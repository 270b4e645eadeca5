// 256 threads per chunk of 1024 rows, four adjacent rows each
#define CHUNK 1024
#define THREADS 256

__device__ __forceinline__ bool predicate(float discount, int quantity,
                                          float lo, float hi, int qmax)
{
    return discount >= lo && discount <= hi && quantity < qmax;
}

extern "C" __global__ void __launch_bounds__(THREADS)
select_chunk(const float *__restrict__ discount, const int *__restrict__ quantity,
             unsigned short *__restrict__ selection, int *__restrict__ selected,
             int rows, float lo, float hi, int qmax)
{
    __shared__ int warp_sum[THREADS / 32];
    const size_t chunk0 = (size_t)blockIdx.x * CHUNK;
    const size_t row = chunk0 + 4 * threadIdx.x;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    unsigned keep = 0;
    if (row + 3 < rows) {
        const float4 d = *(const float4 *)(discount + row);
        const int4 q = *(const int4 *)(quantity + row);
        keep = predicate(d.x, q.x, lo, hi, qmax) | predicate(d.y, q.y, lo, hi, qmax) << 1 |
               predicate(d.z, q.z, lo, hi, qmax) << 2 | predicate(d.w, q.w, lo, hi, qmax) << 3;
    } else {
        for (int k = 0; k < 4; ++k)
            if (row + k < rows && predicate(discount[row + k], quantity[row + k], lo, hi, qmax))
                keep |= 1u << k;
    }
    const int own = __popc(keep);
    int incl = own;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        int u = __shfl_up_sync(0xffffffffu, incl, o);
        if (lane >= o) incl += u;
    }
    if (lane == 31) warp_sum[warp] = incl;
    __syncthreads();
    int before = 0, total = 0;
#pragma unroll
    for (int w = 0; w < THREADS / 32; ++w) {
        if (w == warp) before = total;
        total += warp_sum[w];
    }
    size_t pos = chunk0 + before + incl - own;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (keep >> k & 1) selection[pos++] = (unsigned short)(4 * threadIdx.x + k);
    if (threadIdx.x == 0) selected[blockIdx.x] = total;
}
