// Weighted means of the rows of a table that the words of a document name: a block per document, a
// thread per column.

__global__ void embedding_bags(const int* __restrict__ starts, const int* __restrict__ words,
                               const float* __restrict__ weights, const float* __restrict__ table,
                               float* __restrict__ bags, int documents, int columns) {
  int document = blockIdx.x;
  int column = threadIdx.x;
  if (document >= documents || column >= columns) return;
  int begin = starts[document];
  int end = starts[document + 1];
  if (begin == end) {
    bags[document * columns + column] = 0;
    return;
  }

  float sum = 0;
  float total = 0;
#pragma unroll 4
  for (int k = begin; k < end; ++k) {
    int word = words[k];
    float weight = weights[word];
    float value = table[static_cast<size_t>(word) * columns + column];
    sum += weight * value;
    total += weight;
  }

  float mean = sum / (total + 1e-6f);
  float rectified = fmaxf(mean - 0.25f, 0.0f);
  float kept = mean < 0.25f ? 0.5f * mean : 0.125f + rectified;
  kept = fminf(kept, 1.0f);
  bags[document * columns + column] = kept;
}
