// Entropy coding with a prefix code: each symbol is replaced by its code word, and the code words
// of a chunk of 1024 symbols are packed without gaps. A thread encodes four symbols; a scan of the
// lengths gives the position of its bits in the chunk.

constexpr int kThreads = 256;
constexpr int kWords = 2 * kThreads;  // of a packed chunk: at most 64 bits per thread

struct Piece {
  unsigned long long bits;
  int length;
};

// An entry of the table: the code word's bits in the lower half, its length minus one above.
__device__ __forceinline__ void append(Piece& piece, unsigned entry) {
  int length = (entry >> 16 & 15) + 1;
  unsigned long long bits = entry & ((1u << length) - 1);
  piece.bits |= bits << piece.length;
  piece.length += length;
}

// The sum over this lane and those before it.
__device__ __forceinline__ int scan_of_warp(int x) {
  for (int away = 1; away < 32; away *= 2) {
    int other = __shfl_up_sync(~0u, x, away);
    if (static_cast<int>(threadIdx.x % 32) >= away) x += other;
  }
  return x;
}

__device__ __forceinline__ void deposit(unsigned* packed, const Piece& piece, int offset) {
  int word = offset / 32, shift = offset % 32;
  unsigned long long low = piece.bits << shift;
  unsigned high = shift == 0 ? 0 : static_cast<unsigned>(piece.bits >> (64 - shift));
  atomicOr(&packed[word], static_cast<unsigned>(low));
  if (shift + piece.length > 32) atomicOr(&packed[word + 1], static_cast<unsigned>(low >> 32));
  if (shift + piece.length > 64) atomicOr(&packed[word + 2], high);
}

__global__ void __launch_bounds__(kThreads)
    encode_symbols(const uchar4* __restrict__ symbols, const unsigned* __restrict__ codes,
                   unsigned* __restrict__ bits, int* __restrict__ lengths, int chunks) {
  __shared__ unsigned table[256], packed[kWords];
  __shared__ int totals[kThreads / 32];
  int t = threadIdx.x;
  table[t] = codes[t];
  for (int chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    for (int k = t; k < kWords; k += kThreads) packed[k] = 0;
    __syncthreads();
    uchar4 four = symbols[static_cast<size_t>(chunk) * kThreads + t];
    Piece piece = {};
    append(piece, table[four.x]);
    append(piece, table[four.y]);
    append(piece, table[four.z]);
    append(piece, table[four.w]);
    int scanned = scan_of_warp(piece.length);
    if (t % 32 == 31) totals[t / 32] = scanned;
    __syncthreads();
#pragma unroll
    for (int warp = 0; warp < kThreads / 32 - 1; ++warp) {
      int total = totals[warp];
      scanned += warp < t / 32 ? total : 0;
    }
    deposit(packed, piece, scanned - piece.length);
    if (t == kThreads - 1) lengths[chunk] = scanned;
    __syncthreads();
    unsigned* out = bits + static_cast<size_t>(chunk) * kWords;
    for (int k = t; k < kWords; k += kThreads) out[k] = packed[k];
  }
}
