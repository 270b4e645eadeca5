// Text and codes: byte accesses, tables and data-dependent loops.

// Counts where a pattern occurs: each thread compares at its own place and leaves early.
__global__ void find(const char* __restrict__ text, const char* __restrict__ pattern,
                     int* __restrict__ matches, int length, int pattern_length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + pattern_length > length) return;
  for (int k = 0; k < pattern_length; ++k) {
    if ((text[i + k] & 3) != (pattern[k] & 3)) return;
  }
  atomicAdd(matches, 1);
}

// The edit distance of two strings per block: an anti-diagonal per barrier, three diagonals in
// shared memory; the second string has blockDim.x - 1 letters or fewer.
__global__ void edit_distance(const unsigned char* __restrict__ a,
                              const unsigned char* __restrict__ b, int* __restrict__ distance,
                              int length_a, int length_b) {
  extern __shared__ int diagonals[];
  int width = blockDim.x;
  int j = threadIdx.x;
  const unsigned char* x = a + blockIdx.x * length_a;
  const unsigned char* y = b + blockIdx.x * length_b;
  for (int d = 0; d <= length_a + length_b; ++d) {
    int* now = diagonals + d % 3 * width;
    const int* before = diagonals + (d + 2) % 3 * width;
    const int* earlier = diagonals + (d + 1) % 3 * width;
    int i = d - j;
    if (j <= length_b && i >= 0 && i <= length_a) {
      int best;
      if (i == 0 || j == 0) {
        best = i + j;
      } else {
        best = earlier[j - 1] + ((x[i - 1] & 7) != (y[j - 1] & 7));
        best = min(best, min(before[j], before[j - 1]) + 1);
      }
      now[j] = best;
      if (d == length_a + length_b) distance[blockIdx.x] = best;
    }
    __syncthreads();
  }
}

__constant__ char kBase64[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Base64: three bytes in, four letters out of a table in constant memory, indexed per lane.
__global__ void base64(const unsigned char* __restrict__ in, char* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (3 * i >= n) return;
  int left = n - 3 * i;
  unsigned bytes = in[3 * i] << 16;
  if (left > 1) bytes |= in[3 * i + 1] << 8;
  if (left > 2) bytes |= in[3 * i + 2];
  out[4 * i] = kBase64[bytes >> 18];
  out[4 * i + 1] = kBase64[bytes >> 12 & 63];
  out[4 * i + 2] = left > 1 ? kBase64[bytes >> 6 & 63] : '=';
  out[4 * i + 3] = left > 2 ? kBase64[bytes & 63] : '=';
}

// Huffman decoding, a thread per stream of `words` words: a prefix code of four symbols (0, 10,
// 110, 111) read bit by bit, so threads walk different distances.
__global__ void huffman_decode(const unsigned* __restrict__ streams,
                               unsigned char* __restrict__ out, int* __restrict__ lengths,
                               int words, int streams_count) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams_count) return;
  const unsigned* stream = streams + s * words;
  int bits = words * 32, at = 0, count = 0;
  while (at < bits) {
    int ones = 0;
    while (ones < 3 && at < bits) {
      bool one = stream[at / 32] >> at % 32 & 1;
      ++at;
      if (!one) break;
      ++ones;
    }
    out[s * bits + count++] = static_cast<unsigned char>(ones);
  }
  lengths[s] = count;
}

// Words counted in a text: a letter after a separator begins a word. Neighbours through shuffles,
// one vote per warp, a block-wide count by __syncthreads_count.
__global__ void count_words(const unsigned char* __restrict__ text, int* __restrict__ counts,
                            int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool letter = i < n && text[i] % 8 != 0;
  int before = __shfl_up_sync(0xffffffff, letter ? 1 : 0, 1);
  if (threadIdx.x % 32 == 0) before = i > 0 && i - 1 < n && text[i - 1] % 8 != 0;
  int begins = __syncthreads_count(letter && before == 0);
  if (threadIdx.x == 0) counts[blockIdx.x] = begins;
}

// Decimal digits of numbers as text: repeated division by ten and byte stores of varying length.
__global__ void to_decimal(const unsigned* __restrict__ in, char* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char digits[10];
  int count = 0;
  unsigned value = in[i] >> i % 32;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  for (int k = 0; k < 10; ++k) out[i * 10 + k] = k < count ? digits[count - 1 - k] : ' ';
}

// A finite automaton over bytes with its table of transitions in shared memory.
__global__ void automaton(const unsigned char* __restrict__ table,
                          const unsigned char* __restrict__ input, int* __restrict__ accepted,
                          int length, int n) {
  __shared__ unsigned char next[16][16];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) next[k / 16][k % 16] = table[k] % 16;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int state = 0, visits = 0;
  for (int k = 0; k < length; ++k) {
    unsigned char byte = input[i * length + k];
    state = next[state][byte & 15];
    if (state == 3) ++visits;
    state = next[state][byte >> 4];
    if (state == 15) break;
  }
  accepted[i] = visits * 16 + state;
}
