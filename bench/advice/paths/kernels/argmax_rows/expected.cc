#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* scores = *(const float**)arguments[0];
  int* best_class = *(int**)arguments[1];
  const size_t rows = *(int*)arguments[2], classes = *(int*)arguments[3];
#pragma omp parallel for
  for (size_t row = 0; row < rows; ++row) {
    const float* mine = scores + row * classes;
    size_t best = 0;
    for (size_t j = 1; j < classes; ++j)
      if (mine[j] > mine[best]) best = j;
    best_class[row] = (int)best;
  }
}
