// Red-black SOR half sweep for div(k grad u) = f on a uniform 2-D grid with
// Dirichlet boundary (the outer ring is left alone).  The host calls it with
// colour 0 and 1 in turn; u is updated in place.

// harmonic mean of the two cell conductivities at a face
__device__ __forceinline__ float face(float a, float b)
{
    return __fdividef(2.0f * a * b, a + b);
}

extern "C" __global__ void rbsor_poisson2d(
    float* u, const float* __restrict__ rhs, const float* __restrict__ cond,
    int nx, int ny, float h2, float omega, float kmin, int colour)
{
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((j + colour) & 1);

    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;

    size_t c = (size_t)j * nx + i;
    float kc = cond[c] + kmin;
    float ke = face(kc, cond[c + 1] + kmin);
    float kw = face(kc, cond[c - 1] + kmin);
    float kn = face(kc, cond[c + nx] + kmin);
    float ks = face(kc, cond[c - nx] + kmin);

    float acc = ke * u[c + 1] + kw * u[c - 1] + kn * u[c + nx] + ks * u[c - nx];
    float gs = __fdividef(acc - h2 * rhs[c], ke + kw + kn + ks);

    u[c] = u[c] + omega * (gs - u[c]);
}
