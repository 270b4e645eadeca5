// One damped Jacobi sweep for A x = b, A = D + R with the off-diagonal part R
// in CSR and 1/D kept separately.  Used as smoother on the fine levels of an
// unstructured finite-volume multigrid (about 6 neighbours per cell).
// One warp per row.

__device__ __forceinline__ float warpSum(float v)
{
    for (int d = 4; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

extern "C" __global__ void jacobi_csr(
    const int* __restrict__ rowptr, const int* __restrict__ col,
    const float* __restrict__ val, const float* __restrict__ dinv,
    const float* __restrict__ b, const float* __restrict__ x,
    float* __restrict__ xnew, int nrows, float omega)
{
    int row  = (blockIdx.x * blockDim.x + threadIdx.x) >> 3;
    int lane = threadIdx.x & 7;
    row = min(row, nrows - 1);               // keep whole warps for the shuffles

    int begin = rowptr[row];
    int end   = rowptr[row + 1];

    // sum of the off-diagonal contributions
    float s = 0.0f;
    for (int k = begin + lane; k < end; k += 8)
        s += val[k] * x[col[k]];
    s = warpSum(s);

    if (lane == 0) {
        float xold = x[row];
        float xj = dinv[row] * (b[row] - s);
        xnew[row] = xold + omega * (xj - xold);
    }
}
