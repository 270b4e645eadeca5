// Control flow: loops, switches, calls, divergence, early exits, barriers inside branches.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void dense_switch(const int* code, float* x, int n) {
  float a = x[threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    switch (code[i]) {
      case 0:
        a += 1;
        break;
      case 1:
        a *= a;
        break;
      case 2:
        a = sinf(a);
        break;
      case 3:
        a = a / 3;
        break;
      case 4:
        a = sqrtf(a);
        break;
      case 5:
        a = -a;
        break;
      case 6:
        x[i] = a;
        break;
      case 7:
        a = fabsf(a) + i;
        break;
      case 8:
        __syncwarp();
        break;
      case 9:
        a = exp2f(a);
        break;
      case 10:
        return;
      default:
        a = x[i];
        break;
    }
  }
  x[threadIdx.x] = a;
}

__global__ void uniform_switch(int code, int* x) {
  switch (code) {
    case 0:
      x[threadIdx.x] += 5;
      break;
    case 1:
      x[threadIdx.x] *= 7;
      break;
    case 2:
      x[threadIdx.x] ^= 9;
      break;
    case 3:
      x[threadIdx.x] = __popc(x[threadIdx.x]);
      break;
    case 4:
      x[threadIdx.x] = x[threadIdx.x + 1];
      break;
    case 5:
      atomicAdd(x, 1);
      break;
    case 6:
      __syncthreads();
      x[0] = 1;
      break;
  }
}

__device__ __noinline__ double iterate(double x, int n) {
  double y = x;
#pragma unroll 1
  while (n-- > 0 && y * y < 4.0) y = y * y + x;
  return y;
}

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ float first(float x) {
  return x * 2 + 1;
}
__device__ __noinline__ float second(float x) {
  return x / 7 - 1;
}
__device__ float (*table[2])(float) = {first, second};

__global__ void calls(double* d, int* i, float* f) {
  int t = threadIdx.x;
  d[t] = iterate(d[t], i[t]);
  i[t] = ackermann(i[t] & 3, t & 7);
  f[t] = table[i[t + 32] & 1](f[t]);
}

struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float a;
  __device__ float area() const override { return a * a; }
};
struct Disc : Shape {
  float r;
  __device__ float area() const override { return 3.14159f * r * r; }
};

__global__ void virtual_calls(float* out, int which) {
  Square s;
  s.a = out[0];
  Disc d;
  d.r = out[1];
  const Shape* shape = which ? static_cast<Shape*>(&s) : &d;
  out[threadIdx.x] = shape->area();
}

__global__ void divergent(int* x, int n) {
  int v = x[threadIdx.x];
  if (v > 0) {
    for (int i = 0; i < v; ++i) {
      if (x[i] == v) break;
      if (x[i] < 0) continue;
      if (x[i] == 77) return;
      atomicAdd(&x[n], i);
    }
  } else if (v < -5) {
    v = __shfl_xor_sync(__activemask(), v, 1);
  } else {
    do {
      v = x[v & 31] + n;
    } while (v & 1);
  }
  __syncwarp();
#if __CUDA_ARCH__ >= 800
  v += __reduce_add_sync(~0u, v);
#endif
  x[threadIdx.x] = v;
}

__global__ void divergent_barrier(int* x, int n) {
  __shared__ int s[64];
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x < 32) s[threadIdx.x] = x[i];
    __syncthreads();
    if (__syncthreads_and(s[i & 31])) break;
    x[i] += s[threadIdx.x & 31];
  }
  if (x[n] == 3) __trap();
  if (x[n] == 4) asm volatile("exit;");
}

__global__ void groups(int* x) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int v = x[block.thread_rank()];
  v += tile.shfl_down(v, 2);
  tile.sync();
  auto active = cg::coalesced_threads();
  if (v & 1) v = active.shfl(v, 0);
  cg::this_grid().sync();
  x[block.thread_rank()] = v;
}

__global__ void messages(const char* text, int* x) {
  if (x[threadIdx.x] > 9) printf("%s %d\n", text, x[threadIdx.x]);
  int* p = static_cast<int*>(malloc(16));
  p[threadIdx.x & 3] = 1;
  x[0] = p[1];
  free(p);
  if (x[1] == 3) __nanosleep(x[2]);
  x[3] = static_cast<int>(clock()) + static_cast<int>(clock64());
}

__global__ void irreducible(int* x, int n) {
  int i = 0;
  if (x[threadIdx.x] & 1) goto middle;
top:
  x[i] = i * n;
middle:
  i += x[i + 1];
  if (i < n) goto top;
  x[threadIdx.x] = i;
}
