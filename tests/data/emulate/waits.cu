// Kernels that wait for time to pass, that run for long, and that touch much memory.

extern "C" __global__ void wait_cycles(long long cycles, int* out) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void wait_clock(int cycles, int* out) {
  const clock_t start = clock();
  while (clock() - start < cycles) {
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void wait_timer(unsigned long long ns, int* out) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < ns);
  out[threadIdx.x] = 1;
}

extern "C" __global__ void sleep(unsigned ns, int times, int* out) {
  for (int i = 0; i < times; ++i) __nanosleep(ns);
  out[threadIdx.x] = 1;
}

// The number of iterations is not known.
extern "C" __global__ void count_while_waiting(long long cycles, int* out) {
  const long long start = clock64();
  int count = 0;
  do {
    ++count;
    __nanosleep(100);
  } while (clock64() < start + cycles);
  out[threadIdx.x] = count;
  out[64 + threadIdx.x] = 1;
}

// Waits for a word, and gives up some time: the clock must not run ahead of the warp that sets it.
extern "C" __global__ void wait_or_give_up(volatile int* flag, int* out) {
  const long long start = clock64();
  if (threadIdx.x < 32) {
    while (flag[0] == 0) {
      if (clock64() - start > 2000000000) __trap();
    }
    out[threadIdx.x] = 1;
  } else {
    int sum = 0;
    for (int i = 0; i < 20000; ++i) sum += flag[1] + i;
    flag[0] = sum;
  }
}

// A step of 0: what it loads does not decide when it ends.
extern "C" __global__ void no_step(volatile int* in, int n, int step, int* out) {
  int value = 0;
  for (int i = 0; i < n; i += step) value ^= in[threadIdx.x];
  out[threadIdx.x] = value;
}

// Warp 0 waits for warp 1, which counts for long.
extern "C" __global__ void wait_for_counting(volatile int* flag, unsigned n, unsigned* out) {
  if (threadIdx.x < 32) {
    while (flag[0] == 0) {
    }
    out[threadIdx.x] = 1;
  } else {
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i != n; i += 2) sum += __popc(sum ^ i);
    out[threadIdx.x] = sum;
    flag[0] = 1;
  }
}

// All blocks wait for each other, and store while they wait.
extern "C" __global__ void store_and_wait(volatile int* flag, int* out) {
  int count = 0;
  while (flag[0] == 0) out[blockDim.x * blockIdx.x + threadIdx.x] = ++count;
}

// The counter that it waits for is not the word that it counts in.
extern "C" __global__ void count_and_wait(unsigned* arrived, unsigned wanted, unsigned* out) {
  atomicAdd(arrived, 1);
  while (atomicAdd(arrived, 0) < wanted) out[threadIdx.x] = out[threadIdx.x + 32] + 1;
}

extern "C" __global__ void scatter(char* out, unsigned long long stride) {
  out[stride * (blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x)] = 1;
}

// Read where a function of CUDA's headers is inlined.
extern "C" __global__ void read_past(const int* in, int* out, int n) {
  out[threadIdx.x] = __ldcs(&in[threadIdx.x + n]);
}
