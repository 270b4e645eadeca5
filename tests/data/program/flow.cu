// Control flow as ptxas writes it. make.sh compiles it; the cubins are kept so that the tests need no
// compiler.

// A loop in a loop, with a way out of both.
extern "C" __global__ void nest(int* a, int n) {
  for (int i = 0; i < n; ++i) {
#pragma unroll 1
    for (int j = 0; j < i; ++j) {
      if (a[i * n + j] == 7) goto out;
      a[j] ^= a[i];
    }
  }
out:
  a[n] = 1;
}

// A jump table.
extern "C" __global__ void table(int* a, int n) {
  switch (a[threadIdx.x]) {
    case 0: a[1] = 5; break;
    case 1: a[2] *= 7; break;
    case 2: a[3] = a[4] + n; break;
    case 3: a[5] = a[9] - n; break;
    case 4: a[7] = 1; break;
    case 5: a[0] = 99; break;
    case 6: a[8] = n; break;
    case 7: a[9] = __popc(n); break;
  }
}

// A function that ptxas keeps behind the kernel, in the same code, and that calls itself.
__device__ __noinline__ int fibonacci(int x) {
  return x < 2 ? x : fibonacci(x - 1) + fibonacci(x - 2);
}
extern "C" __global__ void calls(int* a) { a[0] = fibonacci(a[1]); }

// Early exit, and a trap that the code goes on behind.
extern "C" __global__ void leave(int* a, int n) {
  if (threadIdx.x >= n) return;
  if (a[threadIdx.x] == 3) __trap();
  a[threadIdx.x] = n;
}
