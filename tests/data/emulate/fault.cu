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
