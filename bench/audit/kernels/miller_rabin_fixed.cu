// Miller-Rabin test for 32 bit candidates, used to sieve factors for small
// key generation. Candidates are forced odd. The witnesses come from the host,
// stored minus 2 so that 0 and 1 cannot occur.

typedef unsigned int u32;
typedef unsigned long long u64;

// Montgomery arithmetic with R = 2^32, n odd; ni = n^-1 mod 2^32
__device__ __forceinline__ u32 mont_mul(u32 a, u32 b, u32 n, u32 ni)
{
    const u64 t = (u64)a * b;
    const u32 h = (u32)(t >> 32), q = __umulhi((u32)t * ni, n);
    return h >= q ? h - q : h - q + n;
}

// n odd, n > 3, n - 1 = d * 2^s
__device__ bool strong_probable_prime(u32 n, u32 d, int s, u32 a, u32 ni, u32 one, u32 r2)
{
    a %= n;
    if (a == 0)
        return true;
    u32 base = mont_mul(a, r2, n, ni), x = one;
    for (u32 e = d; e; e >>= 1) {
        if (e & 1)
            x = mont_mul(x, base, n, ni);
        base = mont_mul(base, base, n, ni);
    }
    if (x == one || x == n - one)
        return true;
    for (int i = 1; i < s; i++) {
        x = mont_mul(x, x, n, ni);
        if (x == n - one)
            return true;
        if (x == one)
            return false;
    }
    return false;
}

extern "C" __global__ void miller_rabin(const u32* __restrict__ candidate,
                                        const u32* __restrict__ bases, int nbases,
                                        unsigned char* __restrict__ is_prime,
                                        u32* __restrict__ prime_count, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    const u32 n = candidate[i] | 1u;
    if (n <= 3) {                      // 1 and 3
        is_prime[i] = n == 3;
        if (n == 3)
            atomicAdd(prime_count, 1u);
        return;
    }

    u32 d = n - 1;
    int s = 0;
    while ((d & 1) == 0) {
        d >>= 1;
        s++;
    }

    u32 ni = n;                               // Newton, 3 bits are right
    ni *= 2u - n * ni; ni *= 2u - n * ni; ni *= 2u - n * ni; ni *= 2u - n * ni;
    const u32 one = (0u - n) % n;             // 2^32 mod n
    const u32 r2 = (u32)((u64)one * one % n);
    bool prime = true;
    for (int b = 0; b < nbases && prime; b++)
        prime = strong_probable_prime(n, d, s, bases[b] + 2u, ni, one, r2);

    is_prime[i] = prime;
    if (prime)
        atomicAdd(prime_count, 1u);
}
