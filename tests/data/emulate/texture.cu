// Fetches through texture objects.
extern "C" __global__ void fetch_linear(cudaTextureObject_t texture, int* out) {
  out[threadIdx.x] = tex1Dfetch<int>(texture, 31 - threadIdx.x) + 1;
}

extern "C" __global__ void fetch_plane(cudaTextureObject_t texture, float* out, int n) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * n + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}
