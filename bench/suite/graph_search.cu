// Breadth-first search of a random graph, level by level: one kernel expands, one moves the frontier.
#include "common.cuh"

struct Graph {
  const int* begins;
  const int* neighbours;
  int vertices;
};

__constant__ Graph graph;  // a structure of pointers that no argument names

__global__ void expand(const char* frontier, char* next, int* levels, int level) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (vertex >= graph.vertices || !frontier[vertex]) return;
  for (int edge = graph.begins[vertex]; edge < graph.begins[vertex + 1]; ++edge) {
    const int other = graph.neighbours[edge];
    if (levels[other] < 0) {
      levels[other] = level;
      next[other] = 1;
    }
  }
}

__global__ void advance(char* frontier, char* next, int* found, int vertices) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (vertex >= vertices) return;
  const char reached = next[vertex];
  frontier[vertex] = reached;
  next[vertex] = 0;
  if (reached) *found = 1;
}

int main() {
  const int n = 1 << 18, degree = 6;
  Random random{7};
  std::vector<int> begins(n + 1), neighbours;
  for (int v = 0; v < n; ++v) {
    begins[v] = static_cast<int>(neighbours.size());
    const int count = 1 + random.next() % (2 * degree);
    for (int e = 0; e < count; ++e) neighbours.push_back((v + random.next() % 4096) % n);
  }
  begins[n] = static_cast<int>(neighbours.size());
  const Graph whole{upload(begins), upload(neighbours), n};
  CHECK(cudaMemcpyToSymbol(graph, &whole, sizeof whole));
  std::vector<char> first(n, 0);
  std::vector<int> unseen(n, -1);
  for (int v = 0; v < n; v += 1024) first[v] = 1, unseen[v] = 0;
  char* frontier = upload(first);
  char* next = zeros<char>(n);
  int* levels = upload(unseen);
  int* found = zeros<int>(1);
  for (int level = 1; level < 40; ++level) {
    CHECK(cudaMemset(found, 0, sizeof(int)));
    expand<<<n / 256, 256>>>(frontier, next, levels, level);
    advance<<<n / 256, 256>>>(frontier, next, found, n);
    int more = 0;
    CHECK(cudaMemcpy(&more, found, sizeof more, cudaMemcpyDeviceToHost));
    if (!more) break;
  }
  return finish();
}
