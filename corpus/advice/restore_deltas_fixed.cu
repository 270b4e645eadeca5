// Restores the integer columns of a compressed table in place, and finds the least and the greatest
// value of each column for its index. A column holds the differences between rows that follow each
// other, coded so that small negative numbers are small too (zigzag): 0, -1, 1, -2, 2 … are stored
// as 0, 1, 2, 3, 4 …

constexpr int kUnrolled = 8;  // divides the number of rows

struct Zone {
  int least, greatest;

  __device__ __forceinline__ void include(int value) {
    least = min(least, value);
    greatest = max(greatest, value);
  }
};

__device__ __forceinline__ unsigned unzigzag(unsigned code) {
  return code >> 1 ^ (0u - (code & 1u));
}

__global__ void restore_deltas(unsigned* table, const int* bases, Zone* zones, int rows,
                               int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;

  unsigned value = static_cast<unsigned>(bases[column]);
  Zone zone{0x7fffffff, -0x7fffffff - 1};
  unsigned* cell = table + column;
  for (int row = 0; row < rows; row += kUnrolled) {
    unsigned codes[kUnrolled];
#pragma unroll
    for (int j = 0; j < kUnrolled; ++j) codes[j] = cell[static_cast<size_t>(j) * columns];
#pragma unroll
    for (int j = 0; j < kUnrolled; ++j) {
      value += unzigzag(codes[j]);
      *cell = value;
      zone.include(static_cast<int>(value));
      cell += columns;
    }
  }
  zones[column] = zone;
}
