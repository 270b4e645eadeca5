// One launch of each kind: plain, with dynamic shared memory, cooperative, in clusters, with the
// thread's own stream, of a structure argument, of managed and of host memory. 8 kernels.
#include <cooperative_groups.h>

#include <cstdio>

struct View {
  float* data;
  int rows, columns;
};

__global__ void plain(float* x) {
  x[threadIdx.x] = 1;
}
__global__ void shared(float* x) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void together(float* x) {
  cooperative_groups::this_grid().sync();
  x[threadIdx.x] += 1;
}
__global__ void clustered(float* x) {
  cooperative_groups::this_cluster().sync();
  x[threadIdx.x] += 1;
}
__global__ void of_view(View view) {
  view.data[threadIdx.x % (view.rows * view.columns)] += 1;
}

int main() {
  float *device = nullptr, *managed = nullptr, *host = nullptr;
  cudaMalloc(&device, 1 << 16);
  cudaMallocManaged(&managed, 1 << 16);
  cudaMallocHost(&host, 1 << 16);
  plain<<<1, 256>>>(device);
  shared<<<1, 256, 1024>>>(device);
  void* arguments[] = {&device};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(together), 8, 128, arguments, 0, nullptr);
  cudaLaunchConfig_t config{};
  config.gridDim = 8;
  config.blockDim = 64;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  config.attrs = &cluster;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, clustered, device);
  plain<<<1, 128, 0, cudaStreamPerThread>>>(device);
  of_view<<<1, 64>>>(View{device, 8, 8});
  plain<<<1, 256>>>(managed);
  plain<<<1, 256>>>(host);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
