extern "C" void expected(void** arguments) {
  const int *row_start = *(const int**)arguments[0], *columns = *(const int**)arguments[1];
  const float *values = *(const float**)arguments[2], *x = *(const float**)arguments[3];
  float* y = *(float**)arguments[4];
  const int rows = *(int*)arguments[5];
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = row_start[row]; i < row_start[row + 1]; ++i)
      sum += (double)values[i] * x[columns[i]];
    y[row] = (float)sum;
  }
}
