// How many letters one has to insert, delete or change to make dictionary words of a misspelt one
// (Levenshtein's distance): a thread per word, whose row of distances is in shared memory.

constexpr int kThreads = 128;
constexpr int kLongest = 24;  // letters of the misspelt word, at most

__global__ void __launch_bounds__(kThreads)
    edit_distances(const unsigned char* __restrict__ letters, const int* __restrict__ starts,
                   const unsigned char* __restrict__ wanted, int* __restrict__ distances, int words,
                   int length) {
  __shared__ int row[kLongest + 1][kThreads];
  __shared__ unsigned char query[kLongest];
  int t = threadIdx.x;
  if (t < length) query[t] = wanted[t] % 26;
  __syncthreads();
  int word = blockIdx.x * kThreads + t;
  if (word >= words) return;
  int begin = starts[word], end = starts[word + 1];

  for (int k = 0; k <= length; ++k) row[k][t] = k;
  for (int place = begin; place < end; ++place) {
    int letter = letters[place] % 26;
    int diagonal = row[0][t];
    int left = diagonal + 1;
    row[0][t] = left;
    for (int k = 1; k <= length; ++k) {
      int above = row[k][t];
      int changed = diagonal + (query[k - 1] == letter ? 0 : 1);
      left = min(min(above, left) + 1, changed);
      row[k][t] = left;
      diagonal = above;
    }
  }
  distances[word] = row[length][t];
}
