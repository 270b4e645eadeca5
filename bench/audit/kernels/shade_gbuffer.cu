// Deferred shading: one light, several procedural/analytic BRDFs selected by
// the material id stored in the G-buffer.

struct Surf { float3 n; float ndl, ndv, ndh, rough; float u, v; };

__device__ __forceinline__ float dot3(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ __forceinline__ float3 unit(float x, float y, float z)
{
    float il = rsqrtf(x * x + y * y + z * z + 1e-12f);
    return make_float3(x * il, y * il, z * il);
}

__device__ float ggx(const Surf& s)
{
    float a2 = s.rough * s.rough * s.rough * s.rough;
    float d = s.ndh * s.ndh * (a2 - 1.0f) + 1.0f;
    float gl = s.ndl + sqrtf(a2 + (1.0f - a2) * s.ndl * s.ndl);
    float gv = s.ndv + sqrtf(a2 + (1.0f - a2) * s.ndv * s.ndv);
    return 0.318310f * a2 / (d * d * gl * gv + 1e-5f) * s.ndl;
}

__device__ float oren_nayar(const Surf& s)
{
    float s2 = s.rough * s.rough;
    float tl = acosf(s.ndl), tv = acosf(s.ndv);
    float a = 1.0f - 0.5f * s2 / (s2 + 0.33f), b = 0.45f * s2 / (s2 + 0.09f);
    return s.ndl * (a + b * sinf(fmaxf(tl, tv)) * tanf(fminf(1.5f, fminf(tl, tv))));
}

__device__ float marble(const Surf& s)
{
    float t = 0.0f, amp = 0.5f, f = 4.0f;
    for (int o = 0; o < 6; o++) {
        t += amp * fabsf(__sinf(f * s.u + 1.7f * o) * __cosf(f * s.v - 0.9f * o));
        amp *= 0.5f; f *= 2.03f;
    }
    return s.ndl * (0.5f + 0.5f * __sinf(12.0f * (s.u + t)));
}

__device__ float skin(const Surf& s)
{
    // sum of diffusion profile lobes, wrapped lighting
    float r = 0.0f;
    for (int i = 1; i <= 6; i++) {
        float w = 0.12f * i;
        r += __expf(-1.5f * i * s.rough) * fmaxf(0.0f, (s.ndl + w) / (1.0f + w));
    }
    return r * 0.25f;
}

__device__ float velvet(const Surf& s)
{
    float sh = sqrtf(fmaxf(0.0f, 1.0f - s.ndh * s.ndh));
    float inv = 1.0f / (0.05f + s.rough);
    return s.ndl * (2.0f + inv) * powf(sh, inv) * 0.159155f / (4.0f * (s.ndl + s.ndv - s.ndl * s.ndv) + 1e-3f);
}

__device__ float thin_film(const Surf& s)
{
    float c = sqrtf(1.0f - (1.0f - s.ndv * s.ndv) * 0.5653f), sum = 0.0f;
    for (int i = 0; i < 8; i++) {
        float lambda = 0.40f + 0.04f * i;
        float ph = 12.566371f * 1.33f * (0.3f + 0.4f * s.rough) * c / lambda;
        sum += 0.5f - 0.5f * __cosf(ph);
    }
    return sum * 0.125f * powf(s.ndh, 32.0f);
}

extern "C" __global__ void shade_gbuffer(const int* __restrict__ material,
                                         const float* __restrict__ nx, const float* __restrict__ ny,
                                         const float* __restrict__ rough,
                                         float* __restrict__ radiance, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const int i = y * width + x;

    Surf s;
    s.u = (x + 0.5f) / width;
    s.v = (y + 0.5f) / height;
    s.n = unit(nx[i] - 0.5f, ny[i] - 0.5f, 0.8f);
    float3 v = unit(0.5f - s.u, 0.5f - s.v, 1.5f);
    float3 l = unit(0.3f, 0.5f, 0.8f);
    float3 h = unit(v.x + l.x, v.y + l.y, v.z + l.z);
    s.ndl = __saturatef(dot3(s.n, l));
    s.ndv = __saturatef(dot3(s.n, v));
    s.ndh = __saturatef(dot3(s.n, h));
    s.rough = 0.05f + 0.9f * rough[i];

    float r;
    switch (material[i]) {
    case 0:  r = ggx(s) + 0.02f * s.ndl; break;
    case 1:  r = oren_nayar(s); break;
    case 2:  r = marble(s); break;
    case 3:  r = skin(s); break;
    case 4:  r = velvet(s); break;
    case 5:  r = thin_film(s); break;
    default: r = 0.0f; break;      // background
    }
    radiance[i] = fminf(r, 64.0f);
}
