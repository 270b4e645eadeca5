// Hashes and checksums.

__device__ unsigned rotate(unsigned x, int by) {
  return __funnelshift_l(x, x, by);
}

// MurmurHash3 of 16-byte keys: 32-bit multiplications, rotations, exclusive-ors.
__global__ void murmur3(const uint4* __restrict__ keys, unsigned* __restrict__ hashes,
                        unsigned seed, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 key = keys[i];
    const unsigned words[4] = {key.x, key.y, key.z, key.w};
    unsigned h = seed;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      h ^= rotate(words[w] * 0xcc9e2d51u, 15) * 0x1b873593u;
      h = rotate(h, 13) * 5 + 0xe6546b64u;
    }
    h ^= 16;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    hashes[i] = h ^ h >> 16;
  }
}

__constant__ unsigned kSha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// SHA-256 of one 32-byte message per thread: LOP3, funnel shifts, PRMT byte order, constants.
__global__ void sha256(const uint4* __restrict__ messages, uint4* __restrict__ digests, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 head = messages[2 * i], tail = messages[2 * i + 1];
  unsigned w[16] = {head.x, head.y, head.z, head.w, tail.x, tail.y, tail.z, tail.w,
                    0,      0,      0,      0,      0,      0,      0,      256};
#pragma unroll
  for (int k = 0; k < 8; ++k) w[k] = __byte_perm(w[k], 0, 0x0123);
  w[8] = 0x80000000;
  const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned s[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) s[k] = start[k];
#pragma unroll 16
  for (int round = 0; round < 64; ++round) {
    unsigned x = w[round % 16];
    unsigned t1 = s[7] + (rotate(s[4], 26) ^ rotate(s[4], 21) ^ rotate(s[4], 7)) +
                  ((s[4] & s[5]) ^ (~s[4] & s[6])) + kSha[round] + x;
    unsigned t2 = (rotate(s[0], 30) ^ rotate(s[0], 19) ^ rotate(s[0], 10)) +
                  ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
#pragma unroll
    for (int k = 7; k > 0; --k) s[k] = s[k - 1];
    s[4] += t1;
    s[0] = t1 + t2;
    unsigned a = w[(round + 1) % 16], b = w[(round + 14) % 16];
    w[round % 16] = x + (rotate(a, 25) ^ rotate(a, 14) ^ a >> 3) + w[(round + 9) % 16] +
                    (rotate(b, 15) ^ rotate(b, 13) ^ b >> 10);
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) s[k] = __byte_perm(s[k] + start[k], 0, 0x0123);
  digests[2 * i] = make_uint4(s[0], s[1], s[2], s[3]);
  digests[2 * i + 1] = make_uint4(s[4], s[5], s[6], s[7]);
}

// CRC-32 of rows of bytes, with a table of 256 words that the block makes in shared memory.
__global__ void crc32(const unsigned char* __restrict__ bytes, unsigned* __restrict__ sums,
                      int length, int rows) {
  __shared__ unsigned table[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) {
    unsigned entry = k;
    for (int bit = 0; bit < 8; ++bit) entry = entry & 1 ? entry >> 1 ^ 0xedb88320u : entry >> 1;
    table[k] = entry;
  }
  __syncthreads();
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  unsigned crc = 0xffffffff;
  for (int k = 0; k < length; ++k) crc = crc >> 8 ^ table[(crc ^ bytes[row * length + k]) & 255];
  sums[row] = ~crc;
}

// FNV-1a over the words of each row in 64 bits: 64-bit multiplication.
__global__ void fnv1a(const unsigned* __restrict__ words, unsigned long long* __restrict__ hashes,
                      int length, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  unsigned long long h = 0xcbf29ce484222325ull;
  for (int k = 0; k < length; ++k) h = (h ^ words[k * rows + row]) * 0x100000001b3ull;
  hashes[row] = h;
}

// Inserts distinct keys into an open-addressed table with atomicCAS. Which slot a key gets depends
// on the order; the set of keys in the table does not.
__global__ void table_insert(const unsigned* __restrict__ keys, unsigned* table, int capacity,
                             int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i] + 1;  // 0 is an empty slot
  unsigned slot = key * 2654435761u % capacity;
  while (true) {
    unsigned old = atomicCAS(&table[slot], 0u, key);
    if (old == 0 || old == key) return;
    slot = slot + 1 == capacity ? 0 : slot + 1;
  }
}

// A Bloom filter: three bits per key set with atomicOr; the result does not depend on the order.
__global__ void bloom_insert(const unsigned* __restrict__ keys, unsigned* __restrict__ filter,
                             int bits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = keys[i];
  for (int k = 0; k < 3; ++k) {
    h = h * 1664525u + 1013904223u;
    unsigned bit = (h >> 4) % bits;
    atomicOr(&filter[bit / 32], 1u << bit % 32);
  }
}
