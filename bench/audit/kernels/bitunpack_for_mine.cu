// Decompression of a frame-of-reference column. Values come in frames of `frame` values
// (frame must be a multiple of 128). All values of a frame are packed little-endian with
// the same bit width, zig-zag coded relative to the frame's base value. Frame f's data is
// start[f]*frame/8 bytes into the buffer, its width is start[f+1] - start[f] bits (0..32).

__device__ __forceinline__ int unzigzag(unsigned int z)
{
    return (int)(z >> 1) ^ -(int)(z & 1u);
}

// read `width` bits starting at bit `pos`
__device__ unsigned int read_bits(const unsigned char *data, long long pos, int width)
{
    unsigned int v = 0;
    if (width > 0) {
        // a frame's data is 16-byte aligned: read one or two 32-bit words
        const unsigned int *words = reinterpret_cast<const unsigned int *>(data);
        const long long wi = pos >> 5;
        const int sh = (int)(pos & 31);
        const unsigned int lo = words[wi];
        const unsigned int hi = sh + width > 32 ? words[wi + 1] : 0u;
        v = __funnelshift_r(lo, hi, sh) & (0xffffffffu >> (32 - width));
    }
    return v;
}

extern "C" __global__ void bitunpack_for(const int *__restrict__ start,
                                         const unsigned char *__restrict__ packed,
                                         const int *__restrict__ base,
                                         int *__restrict__ out,
                                         long long n, long long frame)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const long long f = i / frame;
    const long long k = i % frame;

    const int width = start[f + 1] - start[f];
    const unsigned char *data = packed + (long long)start[f] * (frame / 8);

    const unsigned int z = read_bits(data, k * width, width);
    out[i] = base[f] + unzigzag(z);
}
