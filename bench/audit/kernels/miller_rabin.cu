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

    bool prime = true;
    for (int b = 0; b < nbases && prime; b++)
        prime = strong_probable_prime(n, d, s, bases[b] + 2u);

    is_prime[i] = prime;
    if (prime)
        atomicAdd(prime_count, 1u);
}
