// A tensor contraction of coupled-cluster kind, in double precision, and three improvements:
//
//   out(h1,h2,h3,p4,p5,p6) += sum over h7 of t2(h7,p4,p5,h1) · v2(h3,h2,p6,h7)
//
// t2 and v2 lie in memory as written, the first index fastest; `out` in an order that its strides
// give. The indices of v2 that stay make the number right = (h3,h2,p6), those of t2 the number left
// = (h1,p5,p4). A block of 16×16 threads makes a tile of 64 by 64 results, a thread 4 by 4 of them,
// 16 apart. Extents need not divide by anything.

struct Extents {
  int h1, h2, h3, p4, p5, p6, h7;
};

struct Strides {
  int h1, h2, h3, p4, p5, p6;
};

constexpr int kTile = 16, kEach = 4, kSide = kTile * kEach;

// Where an index of one side lies in its input and in the output.
struct Place {
  int input, output;
};

__device__ Place right_place(int index, const Extents& extent, const Strides& stride) {
  int h3 = index % extent.h3;
  int rest = index / extent.h3;
  int h2 = rest % extent.h2, p6 = rest / extent.h2;
  return {h3 + extent.h3 * (h2 + extent.h2 * p6), h3 * stride.h3 + h2 * stride.h2 + p6 * stride.p6};
}

__device__ Place left_place(int index, const Extents& extent, const Strides& stride) {
  int h1 = index % extent.h1;
  int rest = index / extent.h1;
  int p5 = rest % extent.p5, p4 = rest / extent.p5;
  return {extent.h7 * (p4 + extent.p4 * (p5 + extent.p5 * h1)),
          h1 * stride.h1 + p5 * stride.p5 + p4 * stride.p4};
}

// The sums of a thread: left by right, from the tiles in shared memory. Those of the left lie at
// `left_first` + 16·i, those of the right at `right_first` + 16·j.
__device__ void multiply(double (&sum)[kEach][kEach], const double (&left)[kSide][kTile + 1],
                         const double (&right)[kTile][kSide + 1], int left_first, int right_first) {
#pragma unroll 4
  for (int k = 0; k < kTile; ++k) {
    double a[kEach], b[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      a[i] = left[left_first + kTile * i][k];
      b[i] = right[k][right_first + kTile * i];
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i)
#pragma unroll
      for (int j = 0; j < kEach; ++j) sum[i][j] = fma(a[i], b[j], sum[i][j]);
  }
}

// The versions in which each thread works out the indices of all that it touches. `swapped`:
// neighbouring threads differ on the left side, else on the right one. `preread`: the sums begin
// with what the output holds, so that its elements are all on their way while the tiles come.
template <bool swapped, bool preread>
__device__ void contract_by_thread(const double* __restrict__ t2, const double* __restrict__ v2,
                                   double* out, const Extents& extent, const Strides& stride) {
  __shared__ double left[kSide][kTile + 1], right[kTile][kSide + 1];
  int lefts = extent.h1 * extent.p5 * extent.p4, rights = extent.h3 * extent.h2 * extent.p6;
  int x = threadIdx.x, y = threadIdx.y;
  int left_thread = swapped ? x : y, right_thread = swapped ? y : x;
  int left_block = swapped ? blockIdx.x : blockIdx.y,
      right_block = swapped ? blockIdx.y : blockIdx.x;
  Place from_left[kEach], from_right[kEach];
  bool left_is[kEach], right_is[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    int l = left_block * kSide + left_thread + kTile * i;
    int r = right_block * kSide + right_thread + kTile * i;
    left_is[i] = l < lefts;
    right_is[i] = r < rights;
    from_left[i] = left_place(min(l, lefts - 1), extent, stride);
    from_right[i] = right_place(min(r, rights - 1), extent, stride);
  }
  double sum[kEach][kEach] = {};
  if (preread) {
#pragma unroll
    for (int i = 0; i < kEach; ++i)
#pragma unroll
      for (int j = 0; j < kEach; ++j) sum[i][j] = out[from_left[i].output + from_right[j].output];
  }
  for (int base = 0; base < extent.h7; base += kTile) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      int k = base + right_thread;
      left[left_thread + kTile * i][right_thread] = k < extent.h7 ? t2[from_left[i].input + k] : 0;
      k = base + left_thread;
      right[left_thread][right_thread + kTile * i] =
          k < extent.h7 ? v2[from_right[i].input + k * rights] : 0;
    }
    __syncthreads();
    multiply(sum, left, right, left_thread, right_thread);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      if (left_is[i] && right_is[j]) {
        double& to = out[from_left[i].output + from_right[j].output];
        to = preread ? sum[i][j] : to + sum[i][j];
      }
}

// The version in which the block works the indices out once and shares them: neighbouring threads
// read neighbouring elements of the inputs, whatever they compute with, and no thread keeps
// addresses.
template <bool swapped>
__device__ void contract_by_block(const double* __restrict__ t2, const double* __restrict__ v2,
                                  double* out, const Extents& extent, const Strides& stride) {
  __shared__ double left[kSide][kTile + 1], right[kTile][kSide + 1];
  __shared__ Place left_places[kSide], right_places[kSide];
  int lefts = extent.h1 * extent.p5 * extent.p4, rights = extent.h3 * extent.h2 * extent.p6;
  int x = threadIdx.x, y = threadIdx.y, thread = y * kTile + x;
  int left_thread = swapped ? x : y, right_thread = swapped ? y : x;
  int left_first = (swapped ? blockIdx.x : blockIdx.y) * kSide;
  int right_first = (swapped ? blockIdx.y : blockIdx.x) * kSide;
  if (thread < kSide) {
    left_places[thread] = left_place(min(left_first + thread, lefts - 1), extent, stride);
  } else if (thread < 2 * kSide) {
    int index = thread - kSide;
    right_places[index] = right_place(min(right_first + index, rights - 1), extent, stride);
  }
  __syncthreads();
  double sum[kEach][kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      sum[i][j] = out[left_places[left_thread + kTile * i].output +
                      right_places[right_thread + kTile * j].output];
  for (int base = 0; base < extent.h7; base += kTile) {
    double from_left[kEach], from_right[kEach];
    int left_k = min(base + x, extent.h7 - 1), right_k = min(base + y, extent.h7 - 1) * rights;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      from_left[i] = t2[left_places[y + kTile * i].input + left_k];
      from_right[i] = v2[right_places[x + kTile * i].input + right_k];
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      left[y + kTile * i][x] = base + x < extent.h7 ? from_left[i] : 0;
      right[y][x + kTile * i] = base + y < extent.h7 ? from_right[i] : 0;
    }
    __syncthreads();
    multiply(sum, left, right, left_thread, right_thread);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      if (left_first + left_thread + kTile * i < lefts &&
          right_first + right_thread + kTile * j < rights) {
        out[left_places[left_thread + kTile * i].output +
            right_places[right_thread + kTile * j].output] = sum[i][j];
      }
}

#define CONTRACTION(name, body)                                                                  \
  __global__ __launch_bounds__(kTile* kTile, 3) void name(                                       \
      const double* __restrict__ t2, const double* __restrict__ v2, double* out, int h1, int h2, \
      int h3, int p4, int p5, int p6, int h7, int h1_stride, int h2_stride, int h3_stride,       \
      int p4_stride, int p5_stride, int p6_stride) {                                             \
    Extents extent = {h1, h2, h3, p4, p5, p6, h7};                                               \
    Strides stride = {h1_stride, h2_stride, h3_stride, p4_stride, p5_stride, p6_stride};         \
    body(t2, v2, out, extent, stride);                                                           \
  }

// As a generator writes it: neighbouring threads differ in h3, whatever the order of the output.
CONTRACTION(contract_original, (contract_by_thread<false, false>))
// Neighbouring threads differ in h1, which is the output's fastest index.
CONTRACTION(contract_coalesced, (contract_by_thread<true, false>))
// What the output holds is read first, all at once.
CONTRACTION(contract_preread, (contract_by_thread<true, true>))
// The divisions are done once per block, 128 of them in place of 2048, and the inputs are read in
// the order in which they lie.
CONTRACTION(contract_places, contract_by_block<true>)
// The same for an output whose fastest index is h3.
CONTRACTION(contract_places_h3, contract_by_block<false>)
