// Lanes of a warp that part and meet again. All kernels run as one block of 32 threads.

__device__ int lane() { return threadIdx.x; }

// Both sides of a branch, each with a loop of its own length, then everybody together.
extern "C" __global__ void sides(unsigned* out) {
  unsigned sum = 0;
  if (lane() & 1) {
#pragma unroll 1
    for (int i = 0; i < lane(); ++i) sum = sum * 3 + i;
  } else {
#pragma unroll 1
    for (int i = lane(); i < 40; ++i) sum += i ^ 5;
  }
  out[32 + lane()] = __activemask();
  out[lane()] = sum;
}

// Lanes below 8 end inside of the region in which the others work; nobody waits for them.
extern "C" __global__ void leaves(unsigned* out) {
  unsigned sum = 1;
  if (lane() < 20) {
#pragma unroll 1
    for (int i = 0; i <= lane(); ++i) {
      sum = sum * 5 + i;
      if (i == 4 && lane() < 8) {
        out[lane()] = 1000 + i;
        return;
      }
    }
  }
  out[32 + lane()] = __activemask();
  out[lane()] = sum;
}

// A way out of two loops at once, past the place where the inner one's lanes meet.
extern "C" __global__ void breaks(const int* grid, unsigned* out) {
  unsigned steps = 0;
#pragma unroll 1
  for (int y = 0; y < 6; ++y) {
    if ((lane() + y) % 3 != 0) {
#pragma unroll 1
      for (int x = 0; x < 5; ++x) {
        ++steps;
        if (grid[(lane() * 7 + y * 5 + x) % 64] == 0) goto found;
        if (x * y > lane()) break;
      }
    }
    steps += 100;
  }
found:
  out[32 + lane()] = __activemask();
  out[lane()] = steps;
}

// Lanes at different depths of one function keep their callers' meeting places on the stack.
__device__ __noinline__ unsigned tree(unsigned n) {
  if (n < 2) return n + 1;
  unsigned left = 0;
  if (n & 1) left = tree(n - 2) * 3;
  return left + tree(n - 1);
}
extern "C" __global__ void recurses(unsigned* out) {
  out[lane()] = tree(lane() % 8);
  out[32 + lane()] = __activemask();
}

// A table of places to go: the branch runs once for each place that some lane goes to.
extern "C" __global__ void chooses(const int* way, unsigned* out) {
  unsigned value = lane();
  switch (way[lane()]) {
    case 0: value *= 3; out[32] = 1; break;
    case 1: value += 100; out[33] = 2; break;
    case 2: value ^= 77; out[34] = 3; break;
    case 3: value = value * value; out[35] = 4; break;
    case 4: value -= 9; out[36] = 5; break;
    case 5: value <<= 4; out[37] = 6; break;
  }
  out[lane()] = value;
}

// One half waits for a word that the other half writes later.
extern "C" __global__ void waits(volatile unsigned* flag, unsigned* out, int low_half_waits) {
  if ((lane() < 16) == (low_half_waits != 0)) {
    while (flag[0] == 0) {
    }
    out[lane()] = flag[1];
  } else {
    flag[1] = 17;
    __threadfence();
    flag[0] = 1;
    out[lane()] = 3;
  }
}

// A lock that the lanes of one warp fight for; who has it holds it while the others ask.
extern "C" __global__ void locks(int* lock, volatile unsigned* sum, unsigned* out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      const unsigned before = *sum;
      *sum = before + lane() + 1;
      __threadfence();
      atomicExch(lock, 0);
      out[lane()] = before;
      done = true;
    }
  }
}

// The halves exchange values on different lines: each waits for the other.
extern "C" __global__ void meets(unsigned* out) {
  __shared__ volatile unsigned box[32];
  if (lane() < 16) {
#pragma unroll 1
    for (int i = 0; i < 3 + lane(); ++i) box[lane()] = i * 10;
    __syncwarp();
    out[lane()] = box[lane() + 16];
  } else {
    box[lane()] = lane() * 2;
    __syncwarp();
    out[lane()] = box[lane() - 16];
  }
}

// Eight tiles of four lanes, each meeting by itself, in an instruction that all of them share.
extern "C" __global__ void tiles(unsigned* out) {
  __shared__ volatile unsigned box[32];
  const unsigned mask = 0xfu << (lane() & ~3);
#pragma unroll 1
  for (int i = 0; i <= lane() / 4; ++i) {
    box[lane()] = lane() + i;
    __syncwarp(mask);
    out[lane()] = box[lane() ^ 1] + 100 * __popc(__activemask() & mask);
    __syncwarp(mask);
  }
}

// Four tiles of eight lanes vote, each with its own mask, in one instruction.
extern "C" __global__ void ballots(const int* in, unsigned* out) {
  const unsigned mask = 0xffu << (lane() & ~7);
  out[lane()] = __ballot_sync(mask, in[lane()] & 1);
}

// Sides that run for long, each with the end of its loop in the one set of uniform registers.
extern "C" __global__ void marches(unsigned* out, int left, int right) {
  unsigned sum = lane();
  if (lane() & 1) {
#pragma unroll 1
    for (int k = 0; k < left; ++k) {
      if ((k + lane()) % 5 < 3) out[32 + (k & 15)] = k;
      sum = sum * 3 + k;
      __threadfence_block();
    }
  } else {
#pragma unroll 1
    for (int k = 0; k < right; ++k) {
      if ((k + lane()) % 5 < 3) out[48 + (k & 15)] = k;
      sum = sum * 5 + k;
      __threadfence_block();
    }
  }
  out[lane()] = sum;
}
