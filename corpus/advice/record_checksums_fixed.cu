// Checksums (CRC-32) of the records of a database, to be held against those that were stored, four
// bytes at a time by four tables. Records lie word by word; a thread has a record.

constexpr int kTables = 4, kEntries = 256;

struct Check {
  unsigned checksum;
  int damaged;
};

// The checksum after one more word.
__device__ __forceinline__ unsigned advanced(unsigned crc, unsigned word,
                                             const unsigned (*tables)[kEntries]) {
  crc ^= word;
  unsigned a = tables[3][crc & 0xff];
  unsigned b = tables[2][crc >> 8 & 0xff];
  unsigned c = tables[1][crc >> 16 & 0xff];
  unsigned d = tables[0][crc >> 24];
  return (a ^ b) ^ (c ^ d);
}

__global__ void record_checksums(const unsigned* __restrict__ words,
                                 const unsigned (*__restrict__ tables)[kEntries],
                                 const unsigned* __restrict__ stored, Check* __restrict__ checks,
                                 int records, int length) {
  __shared__ unsigned near[kTables][kEntries];
  for (int k = threadIdx.x; k < kTables * kEntries; k += blockDim.x) near[0][k] = tables[0][k];
  __syncthreads();
  int record = blockIdx.x * blockDim.x + threadIdx.x;
  if (record >= records) return;
  unsigned crc = 0xffffffffu;
#pragma unroll 4
  for (int k = 0; k < length; ++k) {
    unsigned word = words[static_cast<size_t>(k) * records + record];
    crc = advanced(crc, word, near);
  }
  crc = ~crc;
  checks[record] = {crc, crc != stored[record] ? 1 : 0};
}
