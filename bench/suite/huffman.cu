// Huffman coding: histogram, code lengths' prefix sum within blocks, and packing of the codes.
#include "common.cuh"

__constant__ unsigned codes[256];
__constant__ unsigned char lengths[256];

__global__ void count_symbols(const unsigned char* text, unsigned* counts, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[text[i]], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

__global__ void encode(const unsigned char* text, unsigned* out, unsigned* sizes, int n) {
  __shared__ unsigned sums[256], words[512];
  const int t = threadIdx.x, at = (blockIdx.x * 256 + t) * 4;
  words[t] = words[t + 256] = 0;
  unsigned long long bits = 0;
  unsigned length = 0;
  for (int j = 0; j < 4 && at + j < n; ++j) {
    const int symbol = text[at + j];
    bits = bits << lengths[symbol] | codes[symbol];
    length += lengths[symbol];
  }
  sums[t] = length;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const unsigned add = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += add;
    __syncthreads();
  }
  const unsigned start = sums[t] - length;
  unsigned position = start;
  unsigned left = length;
  while (left > 0) {
    const unsigned room = 32 - position % 32, take = min(room, left);
    const unsigned part = static_cast<unsigned>(bits >> (left - take)) & (take == 32 ? ~0u : (1u << take) - 1);
    atomicOr(&words[position / 32], part << (room - take));
    position += take, left -= take;
  }
  __syncthreads();
  const unsigned used = (sums[255] + 31) / 32;
  for (unsigned w = t; w < used; w += 256) out[blockIdx.x * 512 + w] = words[w];
  if (t == 0) sizes[blockIdx.x] = sums[255];
}

int main() {
  const int n = 1 << 22;
  Random random{41};
  std::vector<unsigned char> text(n);
  for (unsigned char& symbol : text) {
    symbol = static_cast<unsigned char>(__builtin_ctz(random.next() | 1 << 15) * 4 + (random.next() & 3));
  }
  unsigned table[256];
  unsigned char bits[256];
  for (int s = 0; s < 256; ++s) {
    bits[s] = static_cast<unsigned char>(s < 16 ? 3 + s / 4 : 12);
    table[s] = s & ((1u << bits[s]) - 1);
  }
  CHECK(cudaMemcpyToSymbol(codes, table, sizeof table));
  CHECK(cudaMemcpyToSymbol(lengths, bits, sizeof bits));
  unsigned char* input = upload(text);
  unsigned* counts = zeros<unsigned>(256);
  unsigned* out = zeros<unsigned>(n / 1024 * 512);
  unsigned* sizes = zeros<unsigned>(n / 1024);
  for (int step = 0; step < 3; ++step) {
    count_symbols<<<264, 256>>>(input, counts, n);
    encode<<<n / 1024, 256>>>(input, out, sizes, n);
  }
  return finish();
}
