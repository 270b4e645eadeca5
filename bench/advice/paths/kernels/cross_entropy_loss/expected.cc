#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* logits = *(const float**)arguments[0];
  const int* labels = *(const int**)arguments[1];
  float* loss = *(float**)arguments[2];
  const size_t rows = *(int*)arguments[3], classes = *(int*)arguments[4];
#pragma omp parallel for
  for (size_t row = 0; row < rows; ++row) {
    const float* x = logits + row * classes;
    const double largest = *std::max_element(x, x + classes);
    double sum = 0;
    for (size_t j = 0; j < classes; ++j) sum += std::exp(x[j] - largest);
    loss[row] = (float)(std::log(sum) + largest - x[labels[row]]);
  }
}
