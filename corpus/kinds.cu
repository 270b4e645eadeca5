// A second kernel of each kind that stands alone in the other files, so that the timing model can
// be tuned on one of the kind and held against another: named barriers, generic addresses, calls,
// divisions, long straight code, look-back, pointer chases, state machines.

// Two warps load and scale, two warps reduce what they loaded: named barriers, three slots.
__global__ void load_and_reduce(const float* __restrict__ in, float* __restrict__ out, int rounds) {
  __shared__ float slots[3][128];
  int t = threadIdx.x % 64;
  const float* from = in + static_cast<size_t>(blockIdx.x) * rounds * 128;
  if (threadIdx.x < 64) {
    for (int r = 0; r < rounds; ++r) {
      int slot = r % 3;
      if (r >= 3) asm volatile("bar.sync %0, 128;" ::"r"(4 + slot) : "memory");
      slots[slot][t] = from[r * 128 + t] * 0.5f;
      slots[slot][t + 64] = from[r * 128 + t + 64] * 0.25f;
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + slot) : "memory");
    }
  } else {
    float sum = 0;
    for (int r = 0; r < rounds; ++r) {
      int slot = r % 3;
      asm volatile("bar.sync %0, 128;" ::"r"(1 + slot) : "memory");
      sum += slots[slot][t] * slots[slot][127 - t];
      if (r + 3 < rounds) asm volatile("bar.arrive %0, 128;" ::"r"(4 + slot) : "memory");
    }
    out[blockIdx.x * 64 + t] = sum;
  }
}

// A block repeats until no thread of it has anything left to do.
__global__ void settle_votes(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 1;
  int steps = 0;
  while (__syncthreads_or(value > 1)) {
    if (value > 1) value = value % 2 == 0 ? value / 2 : (value + 1) / 2;
    if (__syncthreads_count(value == 1) > static_cast<int>(blockDim.x) / 2) ++steps;
  }
  if (i < n) out[i] = steps;
}

// Pairs of warps pass values to and fro; all pairs work alike.
__global__ void trade_pairs(const float* __restrict__ in, float* __restrict__ out, int rounds) {
  __shared__ float cells[2][256];
  int t = threadIdx.x, pair = t / 64, i = blockIdx.x * 256 + t;
  float value = in[i];
  for (int r = 0; r < rounds; ++r) {
    cells[r % 2][t] = value;
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    value = fmaf(0.75f, value, 0.25f * cells[r % 2][t ^ 32]);
  }
  out[i] = value;
}

__device__ __noinline__ float weigh(const float* values, int count) {
  float sum = 0;
  for (int k = 0; k < count; ++k) sum = fmaf(values[k], 0.5f + k, sum);
  return sum;
}

// Even warps read shared memory through a generic pointer, odd ones global memory.
__global__ void warp_pointers(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float shared[256 + 16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = in[i % n];
  if (threadIdx.x < 16) shared[256 + threadIdx.x] = 1.0f;
  __syncthreads();
  const float* pointer = threadIdx.x / 32 % 2 == 0 ? shared + threadIdx.x : in + i % (n - 16);
  if (i < n) out[i] = weigh(pointer, 16);
}

// Each lane has its own mix of local and global addresses.
__global__ void pointers_by_lane(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 8) return;
  float local[8];
  for (int k = 0; k < 8; ++k) local[k] = in[i + k] - 0.5f;
  const float* pointer = in[i] > 0.5f ? local : in + i;
  out[i] = weigh(pointer, 8);
}

// Three arrays in one dynamic allocation: nearest neighbours inside of a block, in double.
__global__ void nearest_in_block(const double* __restrict__ in, int* __restrict__ out, int n) {
  extern __shared__ __align__(16) unsigned char memory[];
  int count = blockDim.x, t = threadIdx.x, i = blockIdx.x * count + t;
  double* x = reinterpret_cast<double*>(memory);
  double* y = x + count;
  short* index = reinterpret_cast<short*>(y + count);
  x[t] = i < n ? in[i] : 1e9;
  y[t] = i < n ? in[n - 1 - i] : 1e9;
  __syncthreads();
  double best = 1e30;
  int which = -1;
  for (int k = 0; k < count; ++k) {
    double dx = x[k] - x[t], dy = y[k] - y[t], d = dx * dx + dy * dy;
    if (k != t && d < best) {
      best = d;
      which = k;
    }
  }
  index[t] = static_cast<short>(which);
  __syncthreads();
  if (i < n) out[i] = index[index[t]];
}

using Step = float (*)(float, float);
__device__ float step_up(float a, float b) {
  return a + b * 0.5f;
}
__device__ float step_down(float a, float b) {
  return a * 0.5f - b;
}
__device__ float step_bend(float a, float b) {
  return a * b * 0.25f + 1.0f;
}
__device__ Step kSteps[3] = {step_up, step_down, step_bend};

// Calls through a table, the same for a warp.
__global__ void alike_calls(const float* __restrict__ in, float* __restrict__ out, int rounds,
                            int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = in[i];
  for (int r = 0; r < rounds; ++r) value = kSteps[(blockIdx.x + r) % 3](value, in[i]);
  out[i] = value;
}

// … and another for each lane.
__global__ void calls_mixed(const float* __restrict__ in, float* __restrict__ out, int rounds,
                            int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = in[i];
  unsigned code = static_cast<unsigned>(i) * 2654435761u;
  for (int r = 0; r < rounds; ++r) {
    value = kSteps[(code >> (r % 16)) % 3](value, in[i]);
  }
  out[i] = value;
}

// A tiny register machine: a switch of ten cases, four registers in a local array.
__global__ void bytecode(const unsigned short* __restrict__ code, float* __restrict__ out,
                         int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float r[4] = {1.0f, 2.0f, static_cast<float>(i), 0.5f};
  for (int pc = 0; pc < length; ++pc) {
    unsigned op = code[static_cast<size_t>(i) * length + pc];
    int a = op >> 4 & 3, b = op >> 6 & 3;
    switch (op % 10) {
      case 0: r[a] += r[b]; break;
      case 1: r[a] -= r[b]; break;
      case 2: r[a] *= 0.5f; break;
      case 3: r[a] = fmaxf(r[a], r[b]); break;
      case 4: r[a] = -r[b]; break;
      case 5: r[a] = fabsf(r[b]) + 1; break;
      case 6: if (r[a] > r[b]) ++pc; break;
      case 7: r[b] = r[a]; break;
      case 8: r[a] = rsqrtf(fabsf(r[b]) + 1); break;
      default: r[a] = static_cast<float>(pc); break;
    }
  }
  out[i] = r[0] + r[1] + r[2] + r[3];
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void call_fibonacci(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fibonacci(4 + in[i] % 3);
}

// Classifies numbers: exits at several depths, a loop that breaks.
__global__ void several_returns(const unsigned* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  if (v % 7 == 0) {
    out[i] = 7;
    return;
  }
  if (v % 10 == 3) return;
  unsigned sum = 0;
  for (unsigned k = 1; k < 48; ++k) {
    if ((v + k) % 17 == 0) {
      out[i] = static_cast<int>(k);
      return;
    }
    if ((v ^ k) % 5 == 1) continue;
    sum += v % k;
  }
  out[i] = static_cast<int>(sum);
}

// A Julia set, bytes out.
__global__ void julia_set(unsigned char* __restrict__ out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float x = -1.6f + 3.2f * px / width, y = -1.2f + 2.4f * py / height;
  int k = 0;
  for (; k < limit; ++k) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2 * x * y + 0.156f;
    x = xx - yy - 0.8f;
  }
  out[py * width + px] = static_cast<unsigned char>(k);
}

// Fractions in lowest terms by Euclid: chains of 32-bit remainders by run-time divisors.
__global__ void lowest_terms(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                             uint2* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i] + 1, y = b[i] + 1, p = x, q = y;
  for (int k = 0; k < 12 && q != 0; ++k) {
    unsigned t = p % q;
    p = q;
    q = t;
  }
  out[i] = make_uint2(x / p, y / p);
}

// Independent quotients and remainders, signed and unsigned.
__global__ void quotients(const int* __restrict__ a, const int* __restrict__ b,
                          int2* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = a[i], y = b[i] | 1;
  unsigned z = static_cast<unsigned>(x) / static_cast<unsigned>(y);
  out[i] = make_int2(x / y + x % y, static_cast<int>(z));
}

// Seconds to fields of a date: divisions by many constants.
__global__ void fields_of_clock(const unsigned* __restrict__ seconds, unsigned* __restrict__ out,
                             int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned s = seconds[i], day = s / 86400, rest = s % 86400;
    unsigned hour = rest / 3600, minute = rest / 60 % 60, second = rest % 60;
    unsigned year = day / 365, week = day / 7 % 52, weekday = (day + 4) % 7;
    unsigned leap = year / 4 - year / 100 + year / 400;
    out[i] = hour * 3607 + minute * 61 + second + year % 97 + week * 11 + weekday + leap % 13;
  }
}

// a^e mod m with products in 128 bits, all lanes with exponents of one length.
__global__ void power_mod(const unsigned long long* __restrict__ base,
                          unsigned long long* __restrict__ out, unsigned exponent,
                          unsigned long long modulus, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long square = base[i] % modulus, result = 1;
  for (unsigned e = exponent; e != 0; e >>= 1) {
    if (e & 1) {
      result = static_cast<unsigned long long>(static_cast<unsigned __int128>(result) * square %
                                               modulus);
    }
    square = static_cast<unsigned long long>(static_cast<unsigned __int128>(square) * square %
                                             modulus);
  }
  out[i] = result;
}

// Squares of 8-limb numbers, one per thread, in registers: carries all the way.
__global__ void long_square(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a[8], r[16] = {};
  for (int k = 0; k < 8; ++k) a[k] = in[k * n + i];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    unsigned carry = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      unsigned long long t = static_cast<unsigned long long>(a[j]) * a[k] + r[j + k] + carry;
      r[j + k] = static_cast<unsigned>(t);
      carry = static_cast<unsigned>(t >> 32);
    }
    r[j + 8] = carry;
  }
  for (int k = 0; k < 16; ++k) out[k * n + i] = r[k];
}

// Block-wide long additions: 96-bit columns in shared memory, one thread carries at the end.
__global__ void carry_columns(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                             int columns) {
  extern __shared__ unsigned sums[];
  const unsigned* rows = in + static_cast<size_t>(blockIdx.x) * 16 * columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    unsigned long long sum = 0;
    for (int r = 0; r < 16; ++r) sum += rows[r * columns + c];
    sums[2 * c] = static_cast<unsigned>(sum);
    sums[2 * c + 1] = static_cast<unsigned>(sum >> 32);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned long long carry = 0;
  for (int c = 0; c < columns; ++c) {
    carry += sums[2 * c];
    unsigned long long high = sums[2 * c + 1];
    out[blockIdx.x * columns + c] = static_cast<unsigned>(carry);
    carry = (carry >> 32) + high;
  }
}

// Marks multiples of small primes in a block's bytes by atomics on shared words.
__global__ void mark_multiples(unsigned* __restrict__ out, int segments) {
  __shared__ unsigned marks[512];
  for (int s = blockIdx.x; s < segments; s += gridDim.x) {
    unsigned first = s * 16384u;
    for (int w = threadIdx.x; w < 512; w += blockDim.x) marks[w] = 0;
    __syncthreads();
    for (unsigned p = 3 + 2 * threadIdx.x; p < 128 + 2 * threadIdx.x && p < 600; p += 2 * blockDim.x) {
      for (unsigned m = (first + p - 1) / p * p - first; m < 16384; m += p) {
        atomicOr(&marks[m / 32], 1u << m % 32);
      }
    }
    __syncthreads();
    for (int w = threadIdx.x; w < 512; w += blockDim.x) out[s * 512 + w] = marks[w];
    __syncthreads();
  }
}

// 64 rounds of a hash, unrolled: long straight code of shifts, rotations and adds.
__global__ void digest_rounds(const uint4* __restrict__ in, uint4* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned w[16];
  for (int k = 0; k < 4; ++k) {
    uint4 v = in[4 * i + k];
    w[4 * k] = v.x;
    w[4 * k + 1] = v.y;
    w[4 * k + 2] = v.z;
    w[4 * k + 3] = v.w;
  }
  unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll
  for (int r = 0; r < 64; ++r) {
    unsigned f = r < 16 ? (b & c) | (~b & d) : r < 32 ? (d & b) | (~d & c) : r < 48 ? b ^ c ^ d : c ^ (b | ~d);
    int g = r < 16 ? r : r < 32 ? (5 * r + 1) % 16 : r < 48 ? (3 * r + 5) % 16 : (7 * r) % 16;
    unsigned t = a + f + w[g] + 0x5bd1e995u * (r + 1);
    a = d;
    d = c;
    c = b;
    b += __funnelshift_l(t, t, 5 + r % 4 * 5);
  }
  out[i] = make_uint4(a, b, c, d);
}

// A checksum by a table of 256 words in constant memory, indexed by each lane.
__constant__ unsigned kTable[256] = {1, 3, 5, 7, 9};
__global__ void table_checksum(const unsigned char* __restrict__ in, unsigned* __restrict__ out,
                               int each, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = ~0u;
  for (int k = 0; k < each; ++k) {
    sum = sum >> 8 ^ kTable[(sum ^ in[static_cast<size_t>(k) * n + i]) & 255];
  }
  out[i] = sum;
}

// The same table in shared memory, a row of bytes per thread.
__global__ void shared_checksum(const unsigned char* __restrict__ in, unsigned* __restrict__ out,
                                int each, int n) {
  __shared__ unsigned table[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = k * 0xedb88320u;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = ~0u;
  for (int k = 0; k < each; ++k) {
    sum = sum >> 8 ^ table[(sum ^ in[static_cast<size_t>(i) * each + k]) & 255];
  }
  out[i] = sum;
}

// One level of a breadth-first search over a list of edges.
__global__ void search_level(const int* __restrict__ from, const int* __restrict__ to,
                            int* __restrict__ level, int now, int edges, int* __restrict__ found) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  if (level[from[e]] == now && level[to[e]] < 0) {
    level[to[e]] = now + 1;
    atomicAdd(found, 1);
  }
}

// Distances along edges by atomicMin.
__global__ void shorten(const int* __restrict__ from, const int* __restrict__ to,
                        const int* __restrict__ length, int* __restrict__ distance, int edges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  int through = distance[from[e]] + length[e];
  if (through < distance[to[e]]) atomicMin(&distance[to[e]], through);
}

// Every lane follows its own chain of indices.
__global__ void follow_chain(const int* __restrict__ next, int* __restrict__ out, int steps,
                             int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = i;
  for (int s = 0; s < steps; ++s) at = next[at];
  out[i] = at;
}

// The median of five in a row by exchanges.
__global__ void median_row(const float* __restrict__ in, float* __restrict__ out, int width,
                           int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    int xx = min(max(x + k - 4, 0), width - 1);
    v[k] = in[y * width + xx];
  }
#pragma unroll
  for (int a = 0; a < 5; ++a) {
#pragma unroll
    for (int b = a + 1; b < 9; ++b) {
      float low = fminf(v[a], v[b]);
      v[b] = fmaxf(v[a], v[b]);
      v[a] = low;
    }
  }
  out[y * width + x] = v[4];
}

// A lattice of prices, backward step by step, a block per option.
__global__ void lattice_prices(const float* __restrict__ strike, float* __restrict__ out,
                               int steps) {
  extern __shared__ float price[];
  float k = 80.0f + 40.0f * strike[blockIdx.x];
  for (int s = threadIdx.x; s <= steps; s += blockDim.x) {
    price[s] = fmaxf(100.0f * expf(0.01f * (2 * s - steps)) - k, 0.0f);
  }
  for (int step = steps; step > 0; --step) {
    __syncthreads();
    float up = 0, down = 0;
    int s = threadIdx.x;
    if (s < step) {
      up = price[s + 1];
      down = price[s];
    }
    __syncthreads();
    if (s < step) price[s] = 0.9995f * (0.51f * up + 0.49f * down);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = price[0];
}

// Running sums over the whole array, each block looking back at its predecessors' sums.
__global__ void look_back_sums(const int* __restrict__ in, int* __restrict__ out,
                                  volatile int* __restrict__ state, int* __restrict__ turn) {
  __shared__ int block, before, warps[8];
  if (threadIdx.x == 0) block = atomicAdd(turn, 1);
  __syncthreads();
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = block * 256 + threadIdx.x;
  int value = in[i];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffff, value, d);
    if (lane >= d) value += other;
  }
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; ++w) value += warps[w];
  if (threadIdx.x == 255) {
    state[2 * block] = value;
    __threadfence();
    state[2 * block + 1] = 1;
  }
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int b = block - 1; b >= 0; --b) {
      int flag;
      while ((flag = state[2 * b + 1]) == 0) {
      }
      __threadfence();
      sum += state[2 * b];
      if (flag == 2) break;
    }
    before = sum;
  }
  __syncthreads();
  out[i] = before + value;
  if (threadIdx.x == 255) {
    state[2 * block] = before + value;
    __threadfence();
    state[2 * block + 1] = 2;
  }
}

// Counts straight into global memory: contended for few bins, spread for many.
__global__ void count_direct(const int* __restrict__ in, int* __restrict__ counts, int bins,
                             int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&counts[in[i] % bins], 1);
  }
}

// A table-driven automaton over a row of bytes per thread; the table is in global memory.
__global__ void match_rows(const unsigned char* __restrict__ text,
                           const unsigned char* __restrict__ next, int* __restrict__ out, int each,
                           int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int state = 0, hits = 0;
  for (int k = 0; k < each; ++k) {
    state = next[(state & 31) * 256 + text[static_cast<size_t>(i) * each + k]];
    hits += state == 7;
  }
  out[i] = hits;
}

// Longest common subsequences of pairs of strings: a diagonal at a time, a block per pair.
__global__ void common_letters(const unsigned char* __restrict__ a,
                              const unsigned char* __restrict__ b, int* __restrict__ out,
                              int length) {
  __shared__ int row[3][257];
  int t = threadIdx.x;
  const unsigned char *x = a + blockIdx.x * length, *y = b + blockIdx.x * length;
  for (int k = 0; k < 3; ++k) row[k][t] = row[k][256] = 0;
  unsigned char mine = x[t];
  __syncthreads();
  for (int d = 0; d < 2 * length - 1; ++d) {
    int j = d - t;
    if (j >= 0 && j < length) {
      int diagonal = t > 0 && j > 0 ? row[(d + 1) % 3][t - 1] : 0;
      int up = t > 0 ? row[(d + 2) % 3][t - 1] : 0;
      int left = j > 0 ? row[(d + 2) % 3][t] : 0;
      row[d % 3][t] = mine == y[j] ? diagonal + 1 : max(up, left);
    }
    __syncthreads();
  }
  if (t == length - 1) out[blockIdx.x] = row[(2 * length - 2) % 3][t];
}

// Numbers to text, ten digits each.
__global__ void digits_of(const unsigned* __restrict__ in, char* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  char* to = out + static_cast<size_t>(i) * 12;
  int k = 0;
  char reversed[10];
  do {
    reversed[k++] = static_cast<char>('0' + v % 10);
    v /= 10;
  } while (v != 0);
  for (int j = 0; j < k; ++j) to[j] = reversed[k - 1 - j];
  to[k] = '\n';
}

// Small LU factorisations, a warp each, rows in shared memory.
__global__ void factor_small(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float m[4][16][17];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float* from = in + (blockIdx.x * 4 + warp) * 256;
  for (int k = lane; k < 256; k += 32) m[warp][k / 16][k % 16] = from[k] + (k % 17 == 0 ? 8.0f : 0);
  __syncwarp();
  for (int p = 0; p < 15; ++p) {
    if (lane > p && lane < 16) m[warp][lane][p] /= m[warp][p][p];
    __syncwarp();
    for (int e = lane; e < 256; e += 32) {
      int r = e / 16, c = e % 16;
      if (r > p && c > p) m[warp][r][c] -= m[warp][r][p] * m[warp][p][c];
    }
    __syncwarp();
  }
  float* to = out + (blockIdx.x * 4 + warp) * 256;
  for (int k = lane; k < 256; k += 32) to[k] = m[warp][k / 16][k % 16];
}

// Rows to mean 0 and variance 1, a block per row, two passes over registers.
__global__ void normal_rows(const float4* __restrict__ in, float4* __restrict__ out, int width) {
  __shared__ float parts[2][32];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float4 v = in[static_cast<size_t>(blockIdx.x) * width + t];
  float sum = v.x + v.y + v.z + v.w;
  float squares = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(0xffffffff, sum, d);
    squares += __shfl_xor_sync(0xffffffff, squares, d);
  }
  if (lane == 0) {
    parts[0][warp] = sum;
    parts[1][warp] = squares;
  }
  __syncthreads();
  sum = squares = 0;
  for (int w = 0; w < static_cast<int>(blockDim.x) / 32; ++w) {
    sum += parts[0][w];
    squares += parts[1][w];
  }
  float mean = sum / (4 * width), scale = rsqrtf(squares / (4 * width) - mean * mean + 1e-5f);
  out[static_cast<size_t>(blockIdx.x) * width + t] =
      make_float4((v.x - mean) * scale, (v.y - mean) * scale, (v.z - mean) * scale,
                  (v.w - mean) * scale);
}

// Rows added to others chosen by an index: floating-point atomics all over.
__global__ void add_rows(const int* __restrict__ index, const float* __restrict__ in,
                         float* __restrict__ out, int width) {
  int row = index[blockIdx.x];
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    atomicAdd(&out[row * width + c], in[static_cast<size_t>(blockIdx.x) * width + c]);
  }
}

// A matrix product in 64 by 64 tiles, four by four results per thread.
__global__ void multiply_tiles(const float* __restrict__ a, const float* __restrict__ b,
                               float* __restrict__ c, int n) {
  __shared__ float ta[16][65], tb[16][64];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int e = threadIdx.x; e < 1024; e += 256) {
      ta[e % 16][e / 16] = a[(row + e / 16) * n + k + e % 16];
      tb[e / 64][e % 64] = b[(k + e / 64) * n + column + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; ++kk) {
      float x[4], y[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        x[j] = ta[kk][ty * 4 + j];
        y[j] = tb[kk][tx * 4 + j];
      }
#pragma unroll
      for (int p = 0; p < 4; ++p) {
#pragma unroll
        for (int q = 0; q < 4; ++q) sum[p][q] = fmaf(x[p], y[q], sum[p][q]);
      }
    }
    __syncthreads();
  }
  for (int p = 0; p < 4; ++p) {
    for (int q = 0; q < 4; ++q) c[(row + ty * 4 + p) * n + column + tx * 4 + q] = sum[p][q];
  }
}

// Functions of the mathematical library in single precision, with their slow paths unused.
__global__ void math_single(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  out[i] = sinf(x) * cosf(2 * x) + logf(1 + x) * expf(-x) + powf(x, 1.7f) + atanf(x) / (1 + x * x) +
           tanhf(x) + sqrtf(x + 2) + erff(x);
}

// … and in double.
__global__ void math_double(const double* __restrict__ in, double* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = in[i];
  out[i] = sin(x) * exp(-x) + log(1 + x) + sqrt(x + 2) / (1 + x * x) + atan(x);
}

// Sums of bytes by the video and dot-product instructions.
__global__ void byte_sums(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                               unsigned* __restrict__ out, int each, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = 0;
  int dot = 0;
  for (int k = 0; k < each; ++k) {
    unsigned x = a[k * n + i], y = b[k * n + i];
    sum += __vsadu4(x, y);
    dot = __dp4a(static_cast<int>(x), static_cast<int>(y), dot);
  }
  out[i] = sum + dot;
}

// A butterfly of shuffles over several values per lane.
__global__ void butterflies(const float* __restrict__ in, float* __restrict__ out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[2 * i], b = in[2 * i + 1];
  for (int r = 0; r < rounds; ++r) {
    for (int d = 1; d < 32; d *= 2) {
      float p = __shfl_xor_sync(0xffffffff, a, d), q = __shfl_xor_sync(0xffffffff, b, d);
      a = a * 0.5f + q;
      b = b * 0.5f - p;
    }
  }
  out[2 * i] = a;
  out[2 * i + 1] = b;
}

// Writes to places given by a permutation.
__global__ void place_records(const int* __restrict__ to, const float2* __restrict__ in,
                              float2* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[to[i]] = in[i];
}
