// Digitally reconstructed radiograph: cast one ray per detector pixel through
// a CT volume and integrate the attenuation (Beer-Lambert).
// The volume also carries the gradient, it is shared with the surface renderer.

struct Voxel {
    float mu;            // attenuation
    float gx, gy, gz;    // gradient
};

__device__ __forceinline__ bool slab(float o, float d, float hi, float& tn, float& tf)
{
    float inv = 1.0f / (fabsf(d) < 1e-6f ? 1e-6f : d);
    float a = (0.0f - o) * inv;
    float b = (hi - o) * inv;
    tn = fmaxf(tn, fminf(a, b));
    tf = fminf(tf, fmaxf(a, b));
    return tn < tf;
}

__device__ __forceinline__ int cell(float p, int n)
{
    return min(max((int)p, 0), n - 1);
}

extern "C" __global__ void drr_raycast(const Voxel* __restrict__ vol, float* __restrict__ image,
                                       int n,           // volume is n^3
                                       int iw, int ih,
                                       float angle, float mu_scale, float step)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= iw || py >= ih)
        return;

    const float fn = (float)n;
    // source in front of the volume, detector behind it
    float sx = 0.5f * fn, sy = 0.5f * fn, sz = -4.0f * fn;
    float dx = ((px + 0.5f) / iw * 1.4f - 0.2f) * fn - sx;
    float dy = ((py + 0.5f) / ih * 1.4f - 0.2f) * fn - sy;
    float dz = 5.0f * fn;

    // C-arm rotation about the vertical axis through the isocentre
    float s, c;
    sincosf(angle, &s, &c);
    float rx = sx - 0.5f * fn, rz = sz - 0.5f * fn;
    sx = 0.5f * fn + c * rx + s * rz;
    sz = 0.5f * fn - s * rx + c * rz;
    float ddx = c * dx + s * dz;
    float ddz = -s * dx + c * dz;
    float il = rsqrtf(ddx * ddx + dy * dy + ddz * ddz);
    dx = ddx * il; dy *= il; dz = ddz * il;

    float tn = 0.0f, tf = 1e30f;
    float transmitted = 1.0f;
    if (slab(sx, dx, fn, tn, tf) && slab(sy, dy, fn, tn, tf) && slab(sz, dz, fn, tn, tf)) {
        float depth = 0.0f;
        const int steps = (int)((tf - tn) / step);
        const float k = mu_scale * step;
        int i = 0;
        for (; i + 8 <= steps && depth <= 9.0f; i += 8) {
            float mu[8];
#pragma unroll
            for (int u = 0; u < 8; u++) {
                float t = tn + (i + u + 0.5f) * step;
                int ix = cell(sx + t * dx, n);
                int iy = cell(sy + t * dy, n);
                int iz = cell(sz + t * dz, n);
                mu[u] = vol[((size_t)iz * n + iy) * n + ix].mu;
            }
#pragma unroll
            for (int u = 0; u < 8; u++)
                if (depth <= 9.0f) depth += k * mu[u];      // opaque: nothing more
        }
        for (; i < steps && depth <= 9.0f; i++) {
            float t = tn + (i + 0.5f) * step;
            int ix = cell(sx + t * dx, n);
            int iy = cell(sy + t * dy, n);
            int iz = cell(sz + t * dz, n);
            depth += k * vol[((size_t)iz * n + iy) * n + ix].mu;
        }
        transmitted = __expf(-depth);
    }
    image[(size_t)py * iw + px] = transmitted;
}
