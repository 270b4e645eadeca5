// Shortest paths and other graph kernels (kind floydWarshall).

// Bellman-Ford: a thread relaxes the edges of its vertex with integer atomics.
__global__ void relax_edges(const int* __restrict__ first, const int* __restrict__ target,
                            const int* __restrict__ weight, const int* __restrict__ distance,
                            int* __restrict__ next, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  int own = distance[v];
  for (int e = first[v]; e < first[v + 1]; ++e) atomicMin(&next[target[e]], own + weight[e]);
}
