// Full-text search: for each query the document that scores best. A query has eight terms; a term's
// postings name the documents that contain it and the impact that it has there.

struct Posting {
  int document;
  int impact;
};

constexpr int kTerms = 8;
constexpr int kDocuments = 8192;
constexpr int kThreads = 32 * kTerms;

__global__ void __launch_bounds__(kThreads)
    rank_documents(const int* __restrict__ queries, const int* __restrict__ starts,
                   const int* __restrict__ documents, const unsigned char* __restrict__ impacts,
                   Posting* __restrict__ best) {
  __shared__ int scores[kDocuments];
  __shared__ int highest[kTerms];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;

  for (int d = threadIdx.x; d < kDocuments; d += kThreads) scores[d] = 0;
  __syncthreads();

  int term = queries[blockIdx.x * kTerms + warp];
  int end = starts[term + 1];
  for (int p = starts[term] + lane; p < end; p += 32) {
    atomicAdd(&scores[documents[p]], static_cast<int>(impacts[p]));
  }
  __syncthreads();

  int leader = 0;
  for (int d = threadIdx.x; d < kDocuments; d += kThreads) {
    leader = max(leader, scores[d] * kDocuments + d);
  }
  leader = __reduce_max_sync(0xffffffffu, leader);
  if (lane == 0) highest[warp] = leader;
  __syncthreads();

  if (threadIdx.x == 0) {
    for (int w = 1; w < kTerms; ++w) leader = max(leader, highest[w]);
    best[blockIdx.x] = {leader % kDocuments, leader / kDocuments};
  }
}
