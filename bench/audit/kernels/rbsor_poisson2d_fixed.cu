// Red-black SOR half sweep for div(k grad u) = f on a uniform 2-D grid with
// Dirichlet boundary (the outer ring is left alone).  The host calls it with
// colour 0 and 1 in turn; u is updated in place.

// harmonic mean of the two cell conductivities at a face
__device__ __forceinline__ float face(float a, float b)
{
    return __fdividef(2.0f * a * b, a + b);
}

__device__ __forceinline__ float sor(float kc, float ce, float cw, float cn, float cs, float ue, float uw, float un,
                                     float us, float uc, float r, float h2, float omega, float kmin)
{
    kc += kmin;
    float ke = face(kc, ce + kmin);
    float kw = face(kc, cw + kmin);
    float kn = face(kc, cn + kmin);
    float ks = face(kc, cs + kmin);
    float acc = ke * ue + kw * uw + kn * un + ks * us;
    float gs = __fdividef(acc - h2 * r, ke + kw + kn + ks);
    return uc + omega * (gs - uc);
}

extern "C" __global__ void rbsor_poisson2d(
    float* u, const float* __restrict__ rhs, const float* __restrict__ cond,
    int nx, int ny, float h2, float omega, float kmin, int colour)
{
    int i0 = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i0 >= nx || j < 1 || j >= ny - 1) return;

    size_t c = (size_t)j * nx + i0;
    if ((nx & 3) == 0) {
        float k0[6], kn[4], ks[4], u0[6], un[4], us[4], r[4];
        *(float4*)&r[0] = *(const float4*)&rhs[c];
        float4 t;
        t = *(const float4*)&cond[c];      k0[1] = t.x; k0[2] = t.y; k0[3] = t.z; k0[4] = t.w;
        t = *(const float4*)&cond[c + nx]; kn[0] = t.x; kn[1] = t.y; kn[2] = t.z; kn[3] = t.w;
        t = *(const float4*)&cond[c - nx]; ks[0] = t.x; ks[1] = t.y; ks[2] = t.z; ks[3] = t.w;
        t = *(const float4*)&u[c];         u0[1] = t.x; u0[2] = t.y; u0[3] = t.z; u0[4] = t.w;
        t = *(const float4*)&u[c + nx];    un[0] = t.x; un[1] = t.y; un[2] = t.z; un[3] = t.w;
        t = *(const float4*)&u[c - nx];    us[0] = t.x; us[1] = t.y; us[2] = t.z; us[3] = t.w;
        k0[0] = cond[c - 1]; u0[0] = u[c - 1];              // row j - 1 exists
        k0[5] = cond[c + 4]; u0[5] = u[c + 4];              // row j + 1 exists
        float o[4] = {u0[1], u0[2], u0[3], u0[4]};
#pragma unroll
        for (int e = 0; e < 4; e++) {
            int i = i0 + e;
            if (i >= 1 && i < nx - 1 && ((i + j) & 1) == colour)
                o[e] = sor(k0[e + 1], k0[e + 2], k0[e], kn[e], ks[e], u0[e + 2], u0[e], un[e], us[e], u0[e + 1], r[e],
                           h2, omega, kmin);
        }
        *(float4*)&u[c] = make_float4(o[0], o[1], o[2], o[3]);
    } else {
        for (int i = max(i0, 1); i < min(i0 + 4, nx - 1); i++) {
            size_t q = (size_t)j * nx + i;
            if (((i + j) & 1) == colour)
                u[q] = sor(cond[q], cond[q + 1], cond[q - 1], cond[q + nx], cond[q - nx], u[q + 1], u[q - 1], u[q + nx],
                           u[q - nx], u[q], rhs[q], h2, omega, kmin);
        }
    }
}
