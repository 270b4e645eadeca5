// Mobility of both players in a batch of reversi positions: the empty squares where a disc can be
// put are those at the end of an unbroken line of the opponent's discs that starts at one's own.
// A board is a word of 64 bits, a bit per square.

typedef unsigned long long Board;

constexpr Board kInner = 0x7e7e7e7e7e7e7e7eull;  // without the left and right columns

// Squares at the end of lines in one of the eight directions.
__device__ __noinline__ Board line_ends(Board own, Board crossed, int shift) {
  Board line;
  if (shift > 0) {
    line = crossed & own << shift;
    for (int k = 0; k < 5; ++k) line |= crossed & line << shift;
    return line << shift;
  }
  line = crossed & own >> -shift;
  for (int k = 0; k < 5; ++k) line |= crossed & line >> -shift;
  return line >> -shift;
}

__device__ __forceinline__ int mobility(Board own, Board other) {
  Board empty = ~(own | other), ends = 0;
  Board inner = other & kInner;
  ends |= line_ends(own, inner, 1) | line_ends(own, inner, -1);
  ends |= line_ends(own, other, 8) | line_ends(own, other, -8);
  ends |= line_ends(own, inner, 7) | line_ends(own, inner, -7);
  ends |= line_ends(own, inner, 9) | line_ends(own, inner, -9);
  return __popcll(ends & empty);
}

// Of two random words, one has the squares with a disc and one says whose they are.
__global__ void __launch_bounds__(256)
    reversi_moves(const Board* __restrict__ taken, const Board* __restrict__ owners,
                  int* __restrict__ scores, int positions) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= positions) return;
  Board black = taken[i] & owners[i], white = taken[i] & ~owners[i];
  int lead = mobility(black, white) - mobility(white, black);
  scores[i] = 4 * lead + __popcll(black) - __popcll(white);
}
