// For each key, the number of entries of a sorted table that are not greater.
__global__ void binary_search(const int* table, const int* keys, int* places, int entries, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = keys[i];
  int place = 0;
  for (int step = entries / 2; step > 0; step /= 2) {
    if (table[place + step] <= key) place += step;
  }
  places[i] = place;
}
