// Selection in a column store: finds the rows of a table whose price times share is above a limit.
// Prices are stored as codes of a dictionary, shares as fractions of 65536. Each warp goes through
// its own part of the table and appends the numbers of the rows it selects, in order, to its own
// part of the output, until that is full.

template <int kWarp>
__device__ __forceinline__ void append(int* out, int& found, bool selected, int row) {
  int lane = threadIdx.x & (kWarp - 1);
  unsigned votes = __ballot_sync(0xffffffffu, selected);
  if (selected) out[found + __popc(votes & ((1u << lane) - 1))] = row;
  found += __popc(votes);
}

// `rows_each` is the number of rows per warp, a multiple of 128, and `room` that of its output.
__global__ void select_rows(const unsigned char* __restrict__ codes,
                            const float* __restrict__ dictionary,
                            const unsigned short* __restrict__ shares,
                            int* __restrict__ selected, int* __restrict__ counts, int rows_each,
                            int room, float limit) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int first = warp * rows_each, lane = threadIdx.x & 31;
  limit *= 65536.0f;
  int* out = selected + static_cast<size_t>(warp) * room;
  int found = 0;
  for (int row = first + lane; row < first + rows_each; row += 4 * 32) {
    int code[4];
    float share[4], price[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      code[k] = codes[row + 32 * k];
      share[k] = shares[row + 32 * k];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) price[k] = dictionary[code[k]];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (found + 32 > room) break;
      append<32>(out, found, price[k] * share[k] > limit, row + 32 * k);
    }
    if (found + 32 > room) break;
  }
  if (lane == 0) counts[warp] = found;
}
