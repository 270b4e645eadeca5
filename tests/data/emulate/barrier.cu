// The numbered barriers of a block.

__device__ void sync(int number, int count) {
  asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(count) : "memory");
}

// Blocks of 64 threads: warp 1 writes late, warp 0 reads behind the barrier.
extern "C" __global__ void whole_block(unsigned* out) {
  __shared__ unsigned box[64];
  box[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = box[63 - threadIdx.x];
}

// Blocks of 128: two pairs of warps, each with a barrier of its own, and each pair in its own time.
extern "C" __global__ void pairs(unsigned* out) {
  __shared__ unsigned box[128];
  const int pair = threadIdx.x / 64;
#pragma unroll 1
  for (int i = 0; i <= pair * 3; ++i) {
    box[threadIdx.x] = threadIdx.x + i;
    sync(1 + pair, 64);
    out[threadIdx.x] = box[threadIdx.x ^ 32];
    sync(1 + pair, 64);
  }
}

// Blocks of 64: warp 1 fills and goes on at once to another barrier, at which warp 0 is first.
extern "C" __global__ void producer(unsigned* out) {
  __shared__ unsigned box[32];
  if (threadIdx.x >= 32) {
    box[threadIdx.x - 32] = threadIdx.x;
    asm volatile("bar.arrive 3, 64;" ::: "memory");
    out[threadIdx.x] = 1;
    asm volatile("bar.sync 4, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 4, 64;" ::: "memory");
    asm volatile("bar.sync 3, 64;" ::: "memory");
    out[threadIdx.x] = box[threadIdx.x];
  }
}

// A count that the block's last warp fills though it has fewer threads: 48 threads, 64 expected.
extern "C" __global__ void partial(unsigned* out) {
  __shared__ unsigned box[48];
  box[threadIdx.x] = threadIdx.x + 7;
  asm volatile("barrier.sync 5, 64;" ::: "memory");
  out[threadIdx.x] = box[47 - threadIdx.x];
}

extern "C" __global__ void reduces(const int* in, int* out) {
  const int value = in[threadIdx.x];
  out[threadIdx.x] = __syncthreads_count(value > 2);
  out[128 + threadIdx.x] = __syncthreads_and(value < 9);
  out[256 + threadIdx.x] = __syncthreads_or(value == 9);
  out[384 + threadIdx.x] = __syncthreads_and(value < 8);
  out[512 + threadIdx.x] = __syncthreads_or(value > 10);
}

// Of 96 threads some have ended: half of warp 0, all of warp 1.
extern "C" __global__ void ended(unsigned* out) {
  __shared__ unsigned box[96];
  if (threadIdx.x >= 16 && threadIdx.x < 64) return;
  box[threadIdx.x] = threadIdx.x * 2;
  __syncthreads();
  out[threadIdx.x] = threadIdx.x < 16 ? box[threadIdx.x + 64] : box[threadIdx.x & 15];
}

// Half of each warp comes to the barrier; the other half has work of its own, and ends.
extern "C" __global__ void divergent(unsigned* out) {
  if (threadIdx.x % 32 < 16) {
    __syncthreads();
    out[threadIdx.x] = 2;
    return;
  }
#pragma unroll 1
  for (int i = 0; i < threadIdx.x % 8; ++i) atomicAdd(&out[threadIdx.x], i);
}

// Warps 1 and 2 meet and end; warp 0 waits for the whole block.
extern "C" __global__ void last(unsigned* out) {
  if (threadIdx.x < 32) {
    __syncthreads();
    out[threadIdx.x] = 1;
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
}

// All but warp 0 wait for it.
extern "C" __global__ void stuck(unsigned* out) {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 512;" ::: "memory");
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

// Warp 0 waits where warp 1 never comes, and the other way round.
extern "C" __global__ void crossed(unsigned* out) {
  if (threadIdx.x < 32) {
    asm volatile("barrier.sync 1, 64;" ::: "memory");
    out[0] = 1;
  } else {
    asm volatile("barrier.sync 2, 64;" ::: "memory");
    out[1] = 1;
  }
}
