// One round of PageRank over a web of pages with few links to each: a page's new rank is the base
// rank plus the damped sum of the shares of the pages that link to it. The incoming links are kept
// column by column, so that neighbouring threads read neighbouring words; a page's links end at
// the first number that is no page, or at the last column.

constexpr int kUnrolled = 4;  // divides the number of columns

struct Web {
  int pages, columns;
  float damping, base;
};

__global__ void __launch_bounds__(128)
    page_ranks(const int* __restrict__ links, const float* __restrict__ shares,
               const float* __restrict__ old_ranks, const int* __restrict__ leaving,
               float* __restrict__ ranks, float* __restrict__ new_shares,
               float* __restrict__ changes, Web web) {
  int page = blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= web.pages) return;
  const int* link = links + page;
  float sum = 0;
  for (int k = 0; k < web.columns; k += kUnrolled) {
    int from[kUnrolled];
    float share[kUnrolled];
    bool linked = true;
#pragma unroll
    for (int j = 0; j < kUnrolled; ++j) from[j] = link[j * web.pages];
#pragma unroll
    for (int j = 0; j < kUnrolled; ++j) {
      linked = linked && from[j] < web.pages;
      share[j] = linked ? shares[from[j]] : 0.0f;
    }
#pragma unroll
    for (int j = 0; j < kUnrolled; ++j) sum += share[j];
    if (!linked) break;
    link += kUnrolled * web.pages;
  }
  float rank = web.base + web.damping * sum;
  int links_out = leaving[page];
  ranks[page] = rank;
  new_shares[page] = links_out > 0 ? rank / links_out : 0.0f;
  changes[page] = fabsf(rank - old_ranks[page]);
}
