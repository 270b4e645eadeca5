// 20 launches of a CUDA graph of three kernels, then ten with other arguments: 90 kernels.
#include <cstdio>

__global__ void scale(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
__global__ void add(float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}

int main() {
  const int n = 1 << 20;
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  scale<<<n / 256, 256, 0, stream>>>(x, 2.0f, n);
  add<<<n / 256, 256, 0, stream>>>(x, y, n);
  scale<<<n / 512, 512, 0, stream>>>(y, 0.5f, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  for (int i = 0; i < 20; ++i) cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);

  cudaGraphNode_t nodes[3];
  size_t count = 3;
  cudaGraphGetNodes(graph, nodes, &count);
  cudaKernelNodeParams parameters;
  cudaGraphKernelNodeGetParams(nodes[0], &parameters);
  float factor = 3.0f;
  int elements = n / 2;
  void* arguments[] = {&x, &factor, &elements};
  parameters.kernelParams = arguments;
  parameters.extra = nullptr;
  cudaGraphExecKernelNodeSetParams(ready, nodes[0], &parameters);
  for (int i = 0; i < 10; ++i) cudaGraphLaunch(ready, stream);
  std::printf("%s\n", cudaGetErrorString(cudaStreamSynchronize(stream)));
  return 0;
}
