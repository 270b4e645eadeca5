// Control flow of many forms: data-dependent loops, switches, calls, local arrays, votes, atomics.

// Leaves the loop when the orbit escapes.
__global__ void mandelbrot_depth(int* __restrict__ depth, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = -2.0f + 3.0f * x / 64, cy = -1.0f + 2.0f * y / 32, zx = 0, zy = 0;
  int k = 0;
  for (; k < limit; ++k) {
    float squared_x = zx * zx, squared_y = zy * zy;
    if (squared_x + squared_y > 4.0f) break;
    zy = 2 * zx * zy + cy;
    zx = squared_x - squared_y + cx;
  }
  depth[y * 64 + x] = k;
}

// An explicit stack in local memory: pushes and pops in a data-dependent loop.
__global__ void local_stack(const int* __restrict__ in, int* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char stack[12];
  int top = 0, visited = 0, checksum = 0;
  stack[top++] = in[i] & 63;
  while (top > 0) {
    int node = stack[--top];
    ++visited;
    checksum = checksum * 31 + node;
    if (node > 3 && top < 10) stack[top++] = node / 2 - 1;
    if (node % 3 == 0 && node > 8 && top < 10) stack[top++] = node / 3;
  }
  out[i] = checksum * 64 + visited;
}

__device__ __noinline__ void prefix_in_place(int* values, int count) {
  for (int k = 1; k < count; ++k) values[k] += values[k - 1];
}

// Passes a local array to a function that is not inlined.
__global__ void call_with_local_array(const int* __restrict__ in, int* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  int values[8];
  for (int k = 0; k < 8; ++k) values[k] = in[(i + k * 3) % n];
  prefix_in_place(values, 4 + (i & 3));
  out[i] = values[7] * 3 + values[i & 7];
}

// Block-wide votes: the barrier itself counts.
__global__ void votes_in_block(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  int large = __syncthreads_count(value > 50);
  int any = __syncthreads_or(value == 99);
  if (i < n) out[i] = value + 100 * large + (any ? 100000 : 0);
}

// Blocks of 80 threads: the last warp is half full.
__global__ void odd_block(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i] * (threadIdx.x + 1) + blockIdx.x;
}

// Leaves two loops at once by goto, to one of two places.
__global__ void jump_out(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, result = 0;
  if (i >= n) return;
#pragma unroll 1
  for (int a = 0; a < 6; ++a) {
#pragma unroll 1
    for (int b = 0; b < 6; ++b) {
      int value = in[(i + a * 31 + b * 7) % n];
      if (value == 5) goto found;
      if (value > 61) goto large;
      result += value;
    }
  }
  result = -result;
  goto store;
found:
  result = result * 2 + 1;
large:
  result += 100000;
store:
  out[i] = result;
}
