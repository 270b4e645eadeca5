// Radial distribution function g(r): histogram of all pair distances below
// rmax in a cubic periodic box.  Tiles of 256 x 256 particles; only tiles on
// or above the diagonal do work, so that every pair is counted once.

#define TILE 256

__device__ __forceinline__ float wrapped(float d)
{
    return d - rintf(d);               // fractional coordinates
}

extern "C" __global__ void __launch_bounds__(TILE) rdf_histogram(
    const float* __restrict__ px, const float* __restrict__ py,
    const float* __restrict__ pz, unsigned int* __restrict__ hist,
    int n, int nbins, float box, float rmax)
{
    __shared__ float sx[TILE], sy[TILE], sz[TILE];

    // triangular index: block b -> (it <= jt)
    int jt = (int)((sqrtf(8.0f * blockIdx.x + 1.0f) - 1.0f) * 0.5f);
    if ((jt + 1) * (jt + 2) / 2 <= (int)blockIdx.x) ++jt;
    if (jt * (jt + 1) / 2 > (int)blockIdx.x) --jt;
    int it = blockIdx.x - jt * (jt + 1) / 2;

    int i = it * TILE + threadIdx.x;
    int jl = jt * TILE + threadIdx.x;
    if (jl < n) {
        sx[threadIdx.x] = px[jl];
        sy[threadIdx.x] = py[jl];
        sz[threadIdx.x] = pz[jl];
    }
    __syncthreads();
    if (i >= n) return;

    float xi = px[i], yi = py[i], zi = pz[i];
    float binsPerUnit = nbins / rmax;
    float r2max = rmax * rmax;
    int jn = min(TILE, n - jt * TILE);

    // inside a diagonal tile start behind the particle itself
    int j0 = (it == jt) ? threadIdx.x + 1 : 0;

    for (int j = j0; j < jn; ++j) {
        float dx = wrapped(xi - sx[j]) * box;
        float dy = wrapped(yi - sy[j]) * box;
        float dz = wrapped(zi - sz[j]) * box;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < r2max) {
            int bin = min((int)(sqrtf(r2) * binsPerUnit), nbins - 1);
            atomicAdd(&hist[bin], 1u);
        }
    }
}
