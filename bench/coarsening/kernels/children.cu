// A kernel that launches kernels. Options: -rdc=true
__global__ void child(int* a, int depth) {
  a[threadIdx.x] += depth;
}

__global__ void parent(int* a, int depth) {
  if (threadIdx.x == 0) {
    child<<<1, 32>>>(a, depth);
    if (depth > 0) parent<<<1, 64, 128>>>(a, depth - 1);
  }
}
