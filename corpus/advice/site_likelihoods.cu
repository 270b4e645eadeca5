// The likelihoods of the sixteen pairs of bases at the paired sites of an RNA alignment, for the
// node of a tree whose two branches have been done (a step of Felsenstein's pruning). A thread has
// one pair of bases of a site; both branches' matrices of transitions are in shared memory.

constexpr int kStates = 16, kSites = 8, kThreads = kSites * kStates;
constexpr int kRow = kStates;  // from a row of a matrix to the next

struct Branch {
  float transitions[kStates * kRow];
  float partials[kSites][kStates];

  // What state `from` above the branch gives for a site.
  __device__ __forceinline__ float likelihood(int site, int from) const {
    float sum = 0;
#pragma unroll
    for (int to = 0; to < kStates; ++to) sum += transitions[from * kRow + to] * partials[site][to];
    return sum;
  }
};

__global__ void __launch_bounds__(kThreads)
    site_likelihoods(const float* __restrict__ left_matrix, const float* __restrict__ right_matrix,
                     const float* __restrict__ left, const float* __restrict__ right,
                     float* __restrict__ likelihoods, int sites) {
  __shared__ Branch one, other;
  int site = threadIdx.x / kStates, state = threadIdx.x % kStates;
  for (int k = threadIdx.x; k < kStates * kStates; k += kThreads) {
    one.transitions[k / kStates * kRow + k % kStates] = left_matrix[k];
    other.transitions[k / kStates * kRow + k % kStates] = right_matrix[k];
  }
  for (int first = blockIdx.x * kSites; first < sites; first += gridDim.x * kSites) {
    size_t place = static_cast<size_t>(first) * kStates + threadIdx.x;
    one.partials[site][state] = left[place];
    other.partials[site][state] = right[place];
    __syncthreads();
    likelihoods[place] = one.likelihood(site, state) * other.likelihood(site, state);
    __syncthreads();
  }
}
