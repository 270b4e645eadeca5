// One step of all shortest paths: those that may lead through node `through`.
__global__ void floyd(const int* before, int* after, int through, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  const int direct = before[y * n + x];
  const int around = before[y * n + through] + before[through * n + x];
  after[y * n + x] = around < direct ? around : direct;
}
