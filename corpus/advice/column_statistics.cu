// Mean, variance and greatest magnitude of a table's columns, over an eighth of its rows each: a
// thread per column.

__global__ void column_statistics(const float* __restrict__ values, float* __restrict__ means,
                                  float* __restrict__ variances, float* __restrict__ largest,
                                  int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  int parts = gridDim.y;
  int part = blockIdx.y;
  int first = static_cast<int>(static_cast<long long>(rows) * part / parts);
  int last = static_cast<int>(static_cast<long long>(rows) * (part + 1) / parts);

  float shift = values[static_cast<size_t>(first) * columns + column];
  float sum = 0;
  float squares = 0;
  float greatest = 0;
#pragma unroll 1
  for (int row = first; row < last; ++row) {
    float value = values[static_cast<size_t>(row) * columns + column];
    greatest = fmaxf(greatest, fabsf(value));
    value -= shift;
    sum += value;
    squares += value * value;
  }

  float count = static_cast<float>(last - first);
  float mean = sum / count;
  float variance = squares / count - mean * mean;
  int place = part * columns + column;
  means[place] = mean + shift;
  variances[place] = fmaxf(variance, 0.0f);
  largest[place] = greatest;
}
