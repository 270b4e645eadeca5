// Direct-summation gravity: accelerations and potential of n bodies
// (x, y, z, mass) with Plummer softening.  Bodies pass through shared memory
// in tiles of one block; dynamic shared memory = blockDim.x * sizeof(float4).

__device__ __forceinline__ void interact(float4& acc, float xi, float yi,
                                         float zi, float4 b, float eps2)
{
    float dx = b.x - xi;
    float dy = b.y - yi;
    float dz = b.z - zi;
    float r2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, eps2)));
    float ri = rsqrtf(r2);
    float mr = b.w * ri;
    float m3 = mr * (ri * ri);
    acc.x = fmaf(m3, dx, acc.x);
    acc.y = fmaf(m3, dy, acc.y);
    acc.z = fmaf(m3, dz, acc.z);
    acc.w -= mr;
}

extern "C" __global__ void __launch_bounds__(128) nbody_direct(
    const float4* __restrict__ body, float4* __restrict__ accel,
    int n, float eps2)
{
    extern __shared__ float4 tile[];

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = (i < n) ? body[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);

    for (int base = 0; base < n; base += 128) {
        int j = base + threadIdx.x;
        // a massless body fills up the last tile
        tile[threadIdx.x] = (j < n) ? body[j] : make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();

        #pragma unroll 16
        for (int k = 0; k < 128; ++k)
            interact(acc, me.x, me.y, me.z, tile[k], eps2);
        __syncthreads();
    }

    if (i < n) {
        // take out the self term of the potential (its force is zero)
        acc.w += me.w * rsqrtf(eps2);
        accel[i] = acc;
    }
}
