// Steps of graph algorithms on graphs in CSR form (starts of the edge lists, and edge targets).

// A level of breadth-first search, a thread per vertex: vertices of the frontier mark unvisited
// neighbours. All writers write the same, so the result does not depend on their order.
__global__ void bfs_level(const int* __restrict__ start, const int* __restrict__ target, int* level,
                          int* changed, int depth, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != depth) return;
  for (int e = start[v]; e < start[v + 1]; ++e) {
    int u = target[e];
    if (level[u] > depth + 1) {
      level[u] = depth + 1;
      *changed = 1;
    }
  }
}

// A PageRank iteration, pulling: each vertex sums its neighbours' rank over their degree.
__global__ void pagerank_step(const int* __restrict__ start, const int* __restrict__ source,
                              const float* __restrict__ rank, const int* __restrict__ degree,
                              float* __restrict__ next, float damping, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  float sum = 0;
  for (int e = start[v]; e < start[v + 1]; ++e) {
    int u = source[e];
    sum += rank[u] / (degree[u] + 1);
  }
  next[v] = (1.0f - damping) / vertices + damping * sum;
}

// Connected components: a round of hooking the greater root below the lesser, with atomicMin on
// parents that were read before the round. Edges are pairs.
__global__ void hook(const int2* __restrict__ edges, const int* __restrict__ parent,
                     int* __restrict__ next, int count) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < count; e += gridDim.x * blockDim.x) {
    int2 edge = edges[e];
    int a = parent[edge.x], b = parent[edge.y];
    if (a == b) continue;
    atomicMin(&next[max(a, b)], min(a, b));
  }
}

// Connected components: every vertex climbs to its root. Parents here are a random number modulo
// the vertex, so chains are short and always end.
__global__ void climb(const int* __restrict__ parent, int* __restrict__ root,
                      int* __restrict__ steps, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  int at = v, count = 0;
  while (at != 0) {
    at = parent[at] % at;
    ++count;
  }
  root[v] = at;
  steps[v] = count;
}

// A round of Bellman and Ford: edges lower their targets' distances with
// atomicMin. Distances are read from the round before.
__global__ void relax(const int* __restrict__ start, const int* __restrict__ target,
                      const int* __restrict__ weight, const int* __restrict__ distance,
                      int* __restrict__ next, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  int mine = distance[v];
  atomicMin(&next[v], mine);
  for (int e = start[v]; e < start[v + 1]; ++e) atomicMin(&next[target[e]], mine + weight[e]);
}

// Triangles through each vertex by bisection in the neighbours' lists. Lists need not be sorted for
// a defined result: the bisection is the same everywhere.
__global__ void triangles(const int* __restrict__ start, const int* __restrict__ target,
                          int* __restrict__ count, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  int found = 0;
  for (int e = start[v]; e < start[v + 1]; ++e) {
    int u = target[e];
    for (int f = e + 1; f < start[v + 1]; ++f) {
      int wanted = target[f], low = start[u], high = start[u + 1];
      while (low < high) {
        int middle = (low + high) / 2;
        if (target[middle] < wanted) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      found += low < start[u + 1] && target[low] == wanted;
    }
  }
  count[v] = found;
}

// Random walks: each thread hops along random edges with a generator of its own (xorwow).
__global__ void random_walk(const int* __restrict__ start, const int* __restrict__ target,
                            int* __restrict__ visits, unsigned seed, int hops, int vertices) {
  int walker = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = seed ^ (walker * 2654435761u), y = 362436069, z = 521288629, w = 88675123,
           v = 5783321, d = 6615241;
  int at = walker % vertices;
  for (int hop = 0; hop < hops; ++hop) {
    unsigned t = x ^ (x >> 2);
    x = y, y = z, z = w, w = v;
    v = (v ^ (v << 4)) ^ (t ^ (t << 1));
    d += 362437;
    int first = start[at], degree = start[at + 1] - first;
    at = degree > 0 ? target[first + (d + v) % degree] : (at + 1) % vertices;
    atomicAdd(&visits[at], 1);
  }
}
