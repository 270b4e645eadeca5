// MLP activation: out = dropout(gelu(x + bias)), with the mask kept as bytes for backward.
// The dropout mask comes from a counter-based hash so that it can be regenerated.

__device__ __forceinline__ unsigned int mix32(unsigned int v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    v ^= v >> 16;
    return v;
}

// exact GELU
__device__ __forceinline__ float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v / 1.4142135623730951f));
}

extern "C" __global__ void bias_gelu_dropout(const float4 *__restrict__ x,
                                             const float4 *__restrict__ bias,
                                             float4 *__restrict__ out,
                                             uchar4 *__restrict__ mask,
                                             int rows, int cols4,
                                             float p, unsigned int seed)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;   // column, in float4
    const int r = blockIdx.y;
    if (c >= cols4 || r >= rows) return;

    const size_t i = (size_t)r * cols4 + c;
    const float4 v = x[i];
    const float4 b = bias[c];

    const float keep_scale = 1.0f / (1.0f - p);
    const unsigned int threshold = (unsigned int)(p * 4294967040.0f);
    const unsigned int ctr = (unsigned int)i * 4u;

    uchar4 m;
    m.x = mix32(seed ^ (ctr + 0u)) >= threshold;
    m.y = mix32(seed ^ (ctr + 1u)) >= threshold;
    m.z = mix32(seed ^ (ctr + 2u)) >= threshold;
    m.w = mix32(seed ^ (ctr + 3u)) >= threshold;

    float4 o;
    o.x = m.x * gelu(v.x + b.x) * keep_scale;
    o.y = m.y * gelu(v.y + b.y) * keep_scale;
    o.z = m.z * gelu(v.z + b.z) * keep_scale;
    o.w = m.w * gelu(v.w + b.w) * keep_scale;

    out[i] = o;
    mask[i] = m;
}
