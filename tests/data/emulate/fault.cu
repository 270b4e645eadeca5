// Mistakes, for the checker to find.

extern "C" __global__ void outside(int* out) {
  const int i = threadIdx.y * blockDim.x + threadIdx.x;
  out[i + (blockIdx.x == 2 ? 1 : 0)] = i;
}

extern "C" __global__ void misaligned(const char* in, int* out) {
  out[threadIdx.x] = *(const int*)(in + 4 * threadIdx.x + (threadIdx.x == 5 ? 2 : 0));
}

extern "C" __global__ void uninitialised(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1;
}

extern "C" __global__ void stale(int* out) {
  __shared__ int box[64];
  if (threadIdx.x < 20) box[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = box[threadIdx.x];
}

extern "C" __global__ void races(int* out) {
  __shared__ int box[64];
  box[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = box[threadIdx.x ^ 32];
}

extern "C" __global__ void traps(const int* in, int* out) {
  if (in[threadIdx.x] == 3) __trap();
  out[threadIdx.x] = 1;
}

extern "C" __global__ void stack(int* out, int at) {
  int words[40];
  for (int i = 0; i < 8; ++i) words[(at + i) % 40] = i;
  out[threadIdx.x] = words[(threadIdx.x * 5) % 40];
}

// Waits for its copy only where `waits` says so; then each thread reads its own and its neighbour's.
extern "C" __global__ void copies(const int* in, int* out, int waits) {
  __shared__ int box[64];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&box[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  if (waits == 1) asm volatile("cp.async.wait_group 0;" ::: "memory");
  if (waits == 2) asm volatile("cp.async.wait_group 1;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = box[threadIdx.x ^ 32];
}

// The first warp's plain write and its atomic, then the other's atomic: only the write is a race.
extern "C" __global__ void hidden(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncwarp();
  atomicAdd(&sum, 1);
  __syncthreads();
  out[threadIdx.x] = sum;
}

extern "C" __global__ void before(int* out, int at) {
  __shared__ int box[64];
  box[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = box[static_cast<int>(threadIdx.x) + at];
}
