// Control flow of many forms: data-dependent loops, switches, calls, local arrays, votes, atomics.
#include <cuda_fp16.h>

// Steps until 1: trip counts differ widely.
__global__ void collatz_steps(const unsigned* __restrict__ in, unsigned* __restrict__ steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned value = in[i] + 1, count = 0;
  while (value != 1) {
    value = value % 2 ? 3 * value + 1 : value / 2;
    ++count;
  }
  steps[i] = count;
}

// A small switch, with a case that falls through and one that returns.
__global__ void switch_operations(const int* __restrict__ in, const int* __restrict__ operation,
                                  int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  switch (operation[i]) {
    case 0: value += 17; break;
    case 1: value *= 3; [[fallthrough]];
    case 2: value ^= in[(i * 7) % n]; break;
    case 3: return;
    case 4:
      while (value > 9) value /= 10;
      break;
    default: value = -value;
  }
  out[i] = value;
}

// Sixteen dense cases with code of their own.
__global__ void switch_table(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  switch (v % 16) {
    case 0: v = v * 3 + in[(i + 1) % n]; break;
    case 1: v = __brev(v); break;
    case 2: v = __popc(v) * in[(i + 2) % n]; break;
    case 3: v = v / 7 + v % 11; break;
    case 4: v ^= v << 13; break;
    case 5: v = __clz(v) + 5 * v; break;
    case 6: v = in[v % n] - v; break;
    case 7: v = v * v; break;
    case 8: v = min(v, in[(i + 8) % n]); break;
    case 9: v = max(v, in[(i + 9) % n]); break;
    case 10: v = (v >> 5) | (v << 27); break;
    case 11: v = v + in[(v / 2) % n] * 5; break;
    case 12: v = ~v; break;
    case 13: v = v % 1000 * in[(i + 13) % n]; break;
    case 14: v = v - in[(i * 3) % n] / 3; break;
    case 15: v = __ffs(v) << 8; break;
  }
  out[i] = v;
}

// A state machine over the thread's own bytes: a switch inside a uniform loop.
__global__ void state_machine(const unsigned char* __restrict__ in, int* __restrict__ out, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, state = 0, words = 0;
  for (int k = 0; k < length; ++k) {
    int symbol = in[i * length + k] & 3;
    switch (state) {
      case 0:
        if (symbol == 1) state = 1;
        if (symbol == 2) state = 2;
        break;
      case 1: state = symbol == 3 ? 2 : symbol == 0 ? 0 : 1; break;
      case 2:
        ++words;
        state = symbol;
        break;
      default: state = 0;
    }
  }
  out[i] = words * 4 + state;
}

// Guards within guards; values changed on either side stay alive afterwards.
__global__ void guards_nested(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int a = in[i], b = 1;
    if (a > 20) {
      b = a * 2;
      if (a > 50) {
        a -= 50;
        if (i % 3 == 0) {
          out[i] = a;
          b += 5;
        } else if (i % 3 == 1) {
          a = b;
        }
      } else {
        b = in[(i + a) % n];
      }
    } else if (i % 2) {
      a = -a;
    }
    if (a + b > 40) out[i] = a * 1000 + b;
  }
}

// Values carried by a divergent loop are used after it, some only where the loop broke.
__global__ void loop_live_out(const int* __restrict__ in, int* __restrict__ last, int* __restrict__ sums,
                              int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int limit = in[i], before = -1, here = 0, sum = 0, k = 0;
  bool broke = false;
  for (; k < limit; ++k) {
    before = here;
    here = in[(i + k) % n];
    if (here == 7) {
      broke = true;
      break;
    }
    if (here & 1) continue;
    sum += here;
  }
  last[i] = broke ? before * 100 + k : here;
  sums[i] = sum;
}

// A uniform loop with barriers around a divergent loop.
__global__ void divergent_inside_uniform(const int* __restrict__ in, int* __restrict__ out, int rounds) {
  __shared__ int cells[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t, value = in[i];
  for (int round = 0; round < rounds; ++round) {
    cells[t] = value;
    __syncthreads();
    int k = value & 7, from = t;
    while (k-- > 0) {
      from = (from + cells[from] + 1) & 63;
      if (cells[from] == 3) break;
    }
    int next = cells[from] + round;
    __syncthreads();
    value = next & 15;
  }
  out[i] = value;
}

// A local array filled per thread and indexed dynamically.
__global__ void local_lookup(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int table[16];
#pragma unroll 1
  for (int k = 0; k < 16; ++k) table[(k * 5 + i) & 15] = in[(i + k) % n] + k;
  int at = in[i] & 15, sum = 0;
#pragma unroll 1
  for (int k = 0; k < 5; ++k) {
    sum += table[at];
    at = table[at] & 15;
  }
  out[i] = sum;
}

__device__ __noinline__ int digits_in_base(int value, int base) {
  int sum = 0;
  while (value > 0) {
    sum += value % base;
    value /= base;
  }
  return sum;
}

// Calls a function that is not inlined, in divergent flow and with a loop of its own.
__global__ void call_function(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  int sum = digits_in_base(value, 10);
  if (sum > 20) sum += digits_in_base(value, 2 + i % 7);
  out[i] = sum;
}

__device__ __noinline__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The called function reads threadIdx itself.
__global__ void call_reads_index(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = own_index();
  if (i < n) out[i] = in[i] + in[own_index() / 2];
}

__shared__ int slots[64];
__device__ __noinline__ void put_slot(int i, int value) { slots[i] = value; }
__device__ __noinline__ int take_slot(int i) { return slots[i]; }

// Functions that are called use the shared memory of the block.
__global__ void exchange_by_calls(const int* __restrict__ in, int* __restrict__ out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  put_slot(threadIdx.x, in[i]);
  __syncthreads();
  out[i] = take_slot(63 - threadIdx.x);
}

__device__ __noinline__ void count_one(int* counter) { atomicAdd(counter, 1); }

// Every thread counts twice, by a function that gets the same from all of them.
__global__ void count_twice(const int* __restrict__ in, int* __restrict__ out,
                               int* __restrict__ counters) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  count_one(counters);
  out[i] = in[i] + 1;
  count_one(counters + 1);
}

// Some threads leave both loops from the middle of the inner one, whose trips depend on data.
__global__ void leave_nested_loops(const int* __restrict__ in, int* __restrict__ out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  unsigned value = in[i], sum = value;
#pragma unroll 1
  for (unsigned k = 0; k < 3; ++k) {
#pragma unroll 1
    for (unsigned j = value & 3; j < 5; ++j) {
      sum -= (5 * i ^ j) | (k - 1);
      if (__umulhi(sum, 1) & 8) goto done;
    }
  }
done:
  out[i] = sum;
}

// Launch bounds, and a polynomial by Horner's rule.
__global__ void __launch_bounds__(256, 4) bounded_registers(const float* __restrict__ in,
                                                            float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i], sum = 1;
#pragma unroll
  for (int k = 0; k < 24; ++k) sum = sum * x + (k % 5 - 2);
  out[i] = sum;
}

// 64-bit sizes and strides.
__global__ void far_index(const double* __restrict__ in, double* __restrict__ out, long long n,
                          long long stride) {
  long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
    out[i] = in[i * stride % n] - in[n - 1 - i];
  }
}

// A branch that is taken where its predicate is false, by the index alone; nvcc seldom writes one.
__global__ void negated_guard(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[i % n];
  asm volatile(
      "{\n"
      ".reg .pred inside;\n"
      "setp.lt.s32 inside, %1, %2;\n"
      "@!inside bra past;\n"
      "mad.lo.s32 %0, %0, 3, %1;\n"
      "past:\n"
      "}"
      : "+r"(value)
      : "r"(i), "r"(n));
  out[i] = value;
}

// Every thread adds the same to the same word.
__global__ void count_arrivals(const int* __restrict__ in, int* __restrict__ out, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(count, 3);
  out[i] = in[i] + 1;
}

// Predicated instructions, as nvcc itself seldom writes them.
__global__ void predicated_asm(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0, count = n;
  asm("{\n"
      ".reg .pred p, q;\n"
      "setp.gt.s32 p, %0, 500;\n"
      "@p sub.s32 %0, %0, 500;\n"
      "@!p add.s32 %1, %1, %2;\n"
      "setp.lt.and.s32 q, %0, 100, p;\n"
      "@q mul.lo.s32 %0, %0, 3;\n"
      "@q bra done;\n"
      "xor.b32 %1, %1, %0;\n"
      "done:\n"
      "}"
      : "+r"(value), "+r"(count)
      : "r"(i));
  if (i < n) out[i] = value * 1000 + count;
}

// A maximum of products by compare-and-swap: the loop ends whatever the others do.
__global__ void compare_and_swap(const int* __restrict__ in, unsigned* __restrict__ best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned mine = in[i] * 7 + 1, *slot = &best[i % 16], seen = *slot;
  while (seen < mine) {
    unsigned before = atomicCAS(slot, seen, mine);
    if (before == seen) break;
    seen = before;
  }
}

// A warp repeats until none of its lanes has work left: warps have different trip counts.
__global__ void warp_any(const int* __restrict__ in, int* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, left = in[i], rounds = 0, sum = 0;
  while (__any_sync(0xffffffff, left > 0)) {
    ++rounds;
    if (left > 0) sum += left;
    left -= 5;
  }
  out[i] = rounds * 1000 + sum;
}

// Reads %laneid, which is not a function of threadIdx once threads have merged.
__global__ void lane_numbers(const int* __restrict__ in, int* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[i] = in[i] * 32 + lane;
}

// A warp has four rows of the block.
__global__ void rows_of_lanes(const int* __restrict__ in, int* __restrict__ out) {
  int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[i] = in[i] * 32 + lane;
}

// Warps cross the rows of the block.
__global__ void odd_rows_shuffle(const int* __restrict__ in, int* __restrict__ out) {
  int t = threadIdx.y * 48 + threadIdx.x, i = blockIdx.x * 96 + t;
  int value = in[i];
  out[i] = value * 7 + __shfl_xor_sync(0xffffffff, value, 3) + __shfl_xor_sync(0xffffffff, value, 24) * 2;
}

// Whole blocks return before the barrier: uniform along threads, not along blocks.
__global__ void block_returns(const int* __restrict__ in, int* __restrict__ out, int blocks) {
  __shared__ int cells[64];
  if (blockIdx.x >= blocks) return;
  cells[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = cells[63 - threadIdx.x];
}

// Stores a hash of every index and extent.
__global__ void ids_of_all_axes(unsigned* __restrict__ out) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned hash = threadIdx.x + 3 * threadIdx.y + 11 * threadIdx.z + 37 * blockIdx.x + 131 * blockIdx.y +
                  521 * blockIdx.z + 2053 * blockDim.x + 8209 * blockDim.y + 32771 * blockDim.z +
                  131101 * gridDim.x + 524309 * gridDim.y + 2097169 * gridDim.z;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = hash;
}

// Values pass from iteration to iteration through the thread's own words in global memory.
__global__ void own_slots(int* slots, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  int* mine = slots + i;
  for (int k = 0; k < rounds; ++k) {
    mine[(k & 3) * n] += mine[((k + 1) & 3) * n];
    if (mine[0] & 1) mine[n] ^= mine[2 * n] + k;
    mine[3 * n] = mine[0] - mine[n];
  }
}

// Packed halves: comparison, selection and a polynomial.
__global__ void half_activation(const __half2* __restrict__ in, __half2* __restrict__ out, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  __half2 x = __hsub2(in[i], __float2half2_rn(0.5f));
  __half2 y = __hmul2(x, __hadd2(x, __float2half2_rn(1.25f)));
  __half2 positive = __hgt2(x, __float2half2_rn(0.0f));
  out[i] = __hadd2(__hmul2(positive, x), __hmul2(y, __float2half2_rn(0.125f)));
}

// Elements below 50 are counted per group by atomics whose result is not used.
__global__ void compact_groups(const int* __restrict__ in, unsigned* __restrict__ flags,
                               int* __restrict__ totals) {
  __shared__ int count[4];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (t < 4) count[t] = 0;
  __syncthreads();
  bool small = in[i] < 50;
  if (small) {
    atomicAdd(&count[t / 16], 1);
    atomicOr(&flags[blockIdx.x * 64 + t / 32], 1u << (t % 32));
  }
  __syncthreads();
  if (t == 0) totals[blockIdx.x] = count[0] + 100 * count[1] + 10000 * count[2] + 1000000 * count[3];
}
