// The nearest point of a k-d tree, for many queries. The tree is a heap: node k has the children
// 2k and 2k + 1, and splits along x, y and z in turn.

constexpr int kThreads = 128;
constexpr int kDeepest = 20;  // entries of a thread's stack

__global__ void __launch_bounds__(kThreads)
    nearest_in_tree(const float4* __restrict__ nodes, const float4* __restrict__ queries,
                    float* __restrict__ distances, int* __restrict__ nearest, int count, int size,
                    float radius) {
  __shared__ int stack[kDeepest][kThreads];
  int query = blockIdx.x * kThreads + threadIdx.x;
  if (query >= count) return;
  float4 wanted = queries[query];
  float best = radius * radius;
  int found = 0;

  int depth = 0;
  int node = 1;
  while (true) {
    float4 point = nodes[node];
    float dx = wanted.x - point.x;
    float dy = wanted.y - point.y;
    float dz = wanted.z - point.z;
    float squared = dx * dx + dy * dy + dz * dz;
    if (squared < best) {
      best = squared;
      found = node;
    }

    int axis = (31 - __clz(node)) % 3;
    float across = axis == 0 ? dx : axis == 1 ? dy : dz;
    int near_child = 2 * node + (across > 0 ? 1 : 0);
    if (near_child < size) {
      if (across * across < best) stack[depth++][threadIdx.x] = near_child ^ 1;
      node = near_child;
    } else if (depth > 0) {
      node = stack[--depth][threadIdx.x];
    } else {
      break;
    }
  }
  distances[query] = sqrtf(best);
  nearest[query] = found;
}
