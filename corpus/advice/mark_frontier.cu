// One level of a breadth-first search: each thread takes a vertex from the frontier's queue and
// marks the neighbours that have not been seen with the level they are on. All writers of a vertex
// write the same level, so no atomics are needed. The degrees of the frontier are added up, by
// which the caller decides whether the next level goes bottom-up.

constexpr unsigned char kSeen = 200;  // marks from here on

__device__ __forceinline__ int sum_of_warp(int x) {
  for (int away = 16; away > 0; away /= 2) x += __shfl_down_sync(~0u, x, away);
  return x;
}

// The neighbours of vertex v are edges[rows[v]] to edges[rows[v + 1] - 1]. Marks come from the
// level before and are not changed here.
__global__ void __launch_bounds__(256)
    mark_frontier(const int* rows, const int* edges, const int* queue, const unsigned char* marks,
                  int* levels, int* degree_sum, int queued, int level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int degree = 0;
  if (i < queued) {
    int vertex = queue[i];
    int edge = rows[vertex], end = rows[vertex + 1];
    degree = end - edge;
    for (; edge < end; ++edge) {
      int neighbour = edges[edge];
      if (marks[neighbour] < kSeen) levels[neighbour] = level;
    }
  }
  degree = sum_of_warp(degree);
  if (threadIdx.x % 32 == 0) atomicAdd(degree_sum, degree);
}
