// Miller-Rabin test for 32 bit candidates, used to sieve factors for small
// key generation. Candidates are forced odd. The witnesses come from the host,
// stored minus 2 so that 0 and 1 cannot occur.

typedef unsigned int u32;
typedef unsigned long long u64;

__device__ u64 mul_mod(u64 a, u64 b, u64 n)
{
    return (a * b) % n;          // operands are below 2^32
}

__device__ u64 pow_mod(u64 base, u32 e, u64 n)
{
    u64 r = 1;
    base %= n;
    while (e) {
        if (e & 1)
            r = mul_mod(r, base, n);
        base = mul_mod(base, base, n);
        e >>= 1;
    }
    return r;
}

// n odd, n > 3, n - 1 = d * 2^s
__device__ bool strong_probable_prime(u64 n, u32 d, int s, u32 a)
{
    if (a % n == 0)
        return true;
    u64 x = pow_mod(a, d, n);
    if (x == 1 || x == n - 1)
        return true;
    for (int i = 1; i < s; i++) {
        x = mul_mod(x, x, n);
        if (x == n - 1)
            return true;
        if (x == 1)
            return false;
    }
    return false;
}

extern "C" __global__ void miller_rabin(const u32* __restrict__ candidate,
                                        const u32* __restrict__ bases, int nbases,
                                        unsigned char* __restrict__ is_prime,
                                        u32* __restrict__ prime_count, int count)
{
    // candidates that pass a witness are collected, so that the next witness runs in full warps
    __shared__ u32 list[2][1024];
    __shared__ int left[2];
    const int first = blockIdx.x * blockDim.x;
    const int i = first + threadIdx.x;
    if (i < count) is_prime[i] = 0;
    list[0][threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) { left[0] = min((int)blockDim.x, count - first); left[1] = 0; }
    __syncthreads();
    int cur = 0;
    for (int b = 0; b < nbases; b++) {
        if (threadIdx.x < left[cur]) {
            const u32 q = list[cur][threadIdx.x];
            const u32 n = candidate[first + q] | 1u;
            bool ok;
            if (n <= 3) ok = n == 3;
            else {
                u32 d = n - 1;
                int s = 0;
                while ((d & 1) == 0) {
                    d >>= 1;
                    s++;
                }
                ok = strong_probable_prime(n, d, s, bases[b] + 2u);
            }
            if (ok) list[cur ^ 1][atomicAdd(&left[cur ^ 1], 1)] = q;
        }
        __syncthreads();
        if (threadIdx.x == 0) left[cur] = 0;
        cur ^= 1;
        __syncthreads();
    }
    if (threadIdx.x < left[cur]) is_prime[first + list[cur][threadIdx.x]] = 1;
    if (threadIdx.x == 0 && left[cur]) atomicAdd(prime_count, (u32)left[cur]);
}
