// The nearest of 32 centres for each of many points in four dimensions (a step of k-means), and how
// far it is.

constexpr int kCentres = 32;

__global__ void assign_clusters(const float4* __restrict__ points,
                                const float4* __restrict__ centres, int* __restrict__ labels,
                                float* __restrict__ distances, int count) {
  __shared__ float4 near_centres[kCentres];
  __shared__ float norms[kCentres];
  if (threadIdx.x < kCentres) {
    float4 c = centres[threadIdx.x];
    near_centres[threadIdx.x] = c;
    norms[threadIdx.x] = c.x * c.x + c.y * c.y + c.z * c.z + c.w * c.w;
  }
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    float4 p = points[i];
    float best = 1e30f;
    int label = 0;
#pragma unroll 8
    for (int k = 0; k < kCentres; ++k) {
      float4 c = near_centres[k];
      float product = p.x * c.x + p.y * c.y + p.z * c.z + p.w * c.w;
      float distance = norms[k] - 2.0f * product;
      if (distance < best) {
        best = distance;
        label = k;
      }
    }
    float norm = p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w;
    labels[i] = label;
    distances[i] = sqrtf(fmaxf(best + norm, 0.0f));
  }
}
