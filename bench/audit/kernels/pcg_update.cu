// Fused vector update of preconditioned conjugate gradients:
//     alpha = rz / pq,  x += alpha p,  r -= alpha q,  z = Dinv r
// together with the new scalar products  r.z  and  r.r .
// scal[0] = rz, scal[1] = pq (left on the device by the earlier kernels);
// sums[0..1] are zeroed by the host before the call.

#define BS 256

__device__ double blockSum(double v, double* buf)
{
    int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int s = 1; s < BS; s *= 2) {
        if (t % (2 * s) == 0)
            buf[t] += buf[t + s];
        __syncthreads();
    }
    double total = buf[0];
    __syncthreads();            // buf may be used again by the caller
    return total;
}

extern "C" __global__ void pcg_update(
    double* __restrict__ x, double* __restrict__ r, double* __restrict__ z,
    const double* __restrict__ p, const double* __restrict__ q,
    const double* __restrict__ dinv, const double* __restrict__ scal,
    double* __restrict__ sums, int n)
{
    __shared__ double buf[BS];

    int i = blockIdx.x * BS + threadIdx.x;
    double rz = 0.0, rr = 0.0;

    if (i < n) {
        double alpha = scal[0] / scal[1];
        double ri = r[i] - alpha * q[i];
        double zi = dinv[i] * ri;
        x[i] += alpha * p[i];
        r[i] = ri;
        z[i] = zi;
        rz = ri * zi;
        rr = ri * ri;
    }

    rz = blockSum(rz, buf);
    rr = blockSum(rr, buf);

    if (threadIdx.x == 0) {
        atomicAdd(&sums[0], rz);
        atomicAdd(&sums[1], rr);
    }
}
