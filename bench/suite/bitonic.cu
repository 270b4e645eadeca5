// Bitonic sort in place: within a warp by shuffles and __syncwarp, within a block in shared memory,
// and across blocks in global memory.
#include "common.cuh"

__device__ void order(int& a, int& b, bool up) {
  if ((a > b) == up) {
    const int kept = a;
    a = b, b = kept;
  }
}

// Each warp sorts 64 values of its own in shared memory: no block barrier, only __syncwarp.
__global__ void sort_warps(int* data) {
  __shared__ int values[1024];
  int* mine = values + threadIdx.x / 32 * 64;
  int* from = data + (blockIdx.x * blockDim.x + threadIdx.x / 32 * 32) * 2;
  const int lane = threadIdx.x % 32;
  mine[lane] = from[lane], mine[lane + 32] = from[lane + 32];
  __syncwarp();
  for (int size = 2; size <= 64; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      const int at = 2 * lane - (lane & (step - 1));
      order(mine[at], mine[at + step], (at & size) == 0);
      __syncwarp();
    }
  }
  from[lane] = mine[lane], from[lane + 32] = mine[lane + 32];
}

__global__ void merge_step(int* data, int size, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = 2 * i - (i & (step - 1));
  order(data[at], data[at + step], (at & size) == 0);
}

int main() {
  const int n = 1 << 18;
  Random random{61};
  std::vector<int> values(n);
  for (int& value : values) value = random.next() & 0xffff;
  int* data = upload(values);
  sort_warps<<<n / 1024, 512>>>(data);
  for (int size = 128; size <= 2048; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) merge_step<<<n / 512, 256>>>(data, size, step);
  return finish();
}
