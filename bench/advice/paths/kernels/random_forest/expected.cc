#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* samples = *(const float**)arguments[0];
  const int* feature = *(const int**)arguments[1];
  const float *threshold = *(const float**)arguments[2], *leaves = *(const float**)arguments[3];
  float* prediction = *(float**)arguments[4];
  const int num_samples = *(int*)arguments[5], num_features = *(int*)arguments[6];
  const int num_trees = *(int*)arguments[7], depth = *(int*)arguments[8];
  const int inner = (1 << depth) - 1;
#pragma omp parallel for
  for (int s = 0; s < num_samples; ++s) {
    const float* x = samples + (size_t)s * num_features;
    double sum = 0;
    for (int t = 0; t < num_trees; ++t) {
      int node = 0;
      while (node < inner) {
        const int i = t * inner + node;
        node = 2 * node + (x[feature[i]] < threshold[i] ? 1 : 2);
      }
      sum += leaves[t * (inner + 1) + node - inner];
    }
    prediction[s] = (float)(sum / num_trees);
  }
}
