// One step of Floyd and Warshall: shorter ways through vertex k.
__global__ void floyd_step(float* distances, int rows, int columns, int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  const float through = distances[i * columns + k] + distances[k * columns + j];
  if (through < distances[i * columns + j]) distances[i * columns + j] = through;
}
