#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* grad = *(const float**)arguments[0];
  const int* words = *(const int**)arguments[1];
  float* table_grad = *(float**)arguments[2];
  const size_t tokens = *(int*)arguments[3], dim = *(int*)arguments[4];
  // A row gets about eight terms, so single precision is enough.
  for (size_t token = 0; token < tokens; ++token) {
    float* row = table_grad + words[token] * dim;
    for (size_t d = 0; d < dim; ++d) row[d] += grad[token * dim + d];
  }
}
