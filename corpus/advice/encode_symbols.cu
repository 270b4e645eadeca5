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

// Replaces lengths by the offsets where their bits start; the total comes last.
__device__ __forceinline__ void scan_offsets(int* offsets) {
  constexpr int kEach = kThreads / 32;
  int lane = threadIdx.x % 32, sum = 0;
  int own[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    own[k] = sum;
    sum += offsets[lane * kEach + k];
  }
  int before = sum;
  for (int away = 1; away < 32; away *= 2) {
    int other = __shfl_up_sync(~0u, before, away);
    if (lane >= away) before += other;
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) offsets[lane * kEach + k] = before - sum + own[k];
  if (lane == 31) offsets[kThreads] = before;
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
  __shared__ int offsets[kThreads + 1];
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
    offsets[t] = piece.length;
    __syncthreads();
    if (t < 32) scan_offsets(offsets);
    __syncthreads();
    deposit(packed, piece, offsets[t]);
    if (t == 0) lengths[chunk] = offsets[kThreads];
    __syncthreads();
    unsigned* out = bits + static_cast<size_t>(chunk) * kWords;
    for (int k = t; k < kWords; k += kThreads) out[k] = packed[k];
  }
}
