// Small kernels before and after each change that a hint of `burin advise` names: NAME and
// NAME_changed. tests/advise/hints_test.cc compiles them and looks for the promised effect.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#define KERNEL extern "C" __global__ void

// --- fast-math

KERNEL divide(float* x, float d) { x[threadIdx.x] = x[threadIdx.x] / d; }
KERNEL divide_changed(float* x, float d) { x[threadIdx.x] = __fdividef(x[threadIdx.x], d); }
KERNEL exponential(float* x) { x[threadIdx.x] = expf(x[threadIdx.x]); }
KERNEL exponential_changed(float* x) { x[threadIdx.x] = __expf(x[threadIdx.x]); }
KERNEL exponential10(float* x) { x[threadIdx.x] = exp10f(x[threadIdx.x]); }
KERNEL exponential10_changed(float* x) { x[threadIdx.x] = __exp10f(x[threadIdx.x]); }
KERNEL logarithm(float* x) { x[threadIdx.x] = logf(x[threadIdx.x]); }
KERNEL logarithm_changed(float* x) { x[threadIdx.x] = __logf(x[threadIdx.x]); }
KERNEL logarithm2(float* x) { x[threadIdx.x] = log2f(x[threadIdx.x]); }
KERNEL logarithm2_changed(float* x) { x[threadIdx.x] = __log2f(x[threadIdx.x]); }
KERNEL power(float* x, float y) { x[threadIdx.x] = powf(x[threadIdx.x], y); }
KERNEL power_changed(float* x, float y) { x[threadIdx.x] = __powf(x[threadIdx.x], y); }
KERNEL sine(float* x) { x[threadIdx.x] = sinf(x[threadIdx.x]); }
KERNEL sine_changed(float* x) { x[threadIdx.x] = __sinf(x[threadIdx.x]); }
KERNEL cosine(float* x) { x[threadIdx.x] = cosf(x[threadIdx.x]); }
KERNEL cosine_changed(float* x) { x[threadIdx.x] = __cosf(x[threadIdx.x]); }
KERNEL tangent(float* x) { x[threadIdx.x] = tanf(x[threadIdx.x]); }
KERNEL tangent_changed(float* x) { x[threadIdx.x] = __tanf(x[threadIdx.x]); }
KERNEL both_sines(float* x) {
  float s, c;
  sincosf(x[threadIdx.x], &s, &c);
  x[threadIdx.x] = s * c;
}
KERNEL both_sines_changed(float* x) {
  float s, c;
  __sincosf(x[threadIdx.x], &s, &c);
  x[threadIdx.x] = s * c;
}
KERNEL hyperbolic(float* x) { x[threadIdx.x] = tanhf(x[threadIdx.x]); }
KERNEL hyperbolic_changed(float* x) { x[threadIdx.x] = __tanhf(x[threadIdx.x]); }
KERNEL inverse_root(float* x) { x[threadIdx.x] = 1.0f / sqrtf(x[threadIdx.x]); }
KERNEL inverse_root_changed(float* x) { x[threadIdx.x] = rsqrtf(x[threadIdx.x]); }
KERNEL rounded_root(float* x) { x[threadIdx.x] = __fsqrt_rn(x[threadIdx.x]); }
KERNEL rounded_root_changed(float* x) { x[threadIdx.x] *= rsqrtf(x[threadIdx.x]); }
// The flag -prec-sqrt=false, and --use_fast_math for all of them.
KERNEL root(float* x) { x[threadIdx.x] = sqrtf(x[threadIdx.x]); }

// --- precision

KERNEL literals(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * 2.0 + 0.5; }
KERNEL literals_changed(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * 2.0f + 0.5f; }
KERNEL double_function(const float* x, float* y) { y[threadIdx.x] = exp((double)x[threadIdx.x]); }
KERNEL double_function_changed(const float* x, float* y) { y[threadIdx.x] = expf(x[threadIdx.x]); }

// --- strength-reduction

KERNEL modulus(int* x, int n) { x[threadIdx.x] = x[threadIdx.x] % n; }
KERNEL modulus_changed(int* x, int n) { x[threadIdx.x] = x[threadIdx.x] & (n - 1); }
KERNEL quotient(unsigned* x, unsigned n) { x[threadIdx.x] = x[threadIdx.x] / n; }
KERNEL quotient_shifted(unsigned* x, unsigned n) { x[threadIdx.x] = x[threadIdx.x] >> n; }
KERNEL quotient_multiplied(unsigned* x, unsigned multiplier, unsigned shift) {
  x[threadIdx.x] = __umulhi(x[threadIdx.x], multiplier) >> shift;
}
template <unsigned kDivisor>
__device__ unsigned divided(unsigned x) {
  return x / kDivisor;
}
KERNEL quotient_template(unsigned* x) { x[threadIdx.x] = divided<77>(x[threadIdx.x]); }
KERNEL quotient_constexpr(unsigned* x) {
  constexpr unsigned kDivisor = 77;
  x[threadIdx.x] = x[threadIdx.x] / kDivisor;
}
KERNEL wide_quotient(long long* x, long long n) { x[threadIdx.x] = x[threadIdx.x] / n; }
KERNEL wide_quotient_changed(int* x, int n) { x[threadIdx.x] = x[threadIdx.x] / n; }
KERNEL counted(const float* x, float* y, int n, int width) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += x[k / width * 1000 + k % width];
  y[threadIdx.x] = sum;
}
KERNEL counted_changed(const float* x, float* y, int rows, int width) {
  float sum = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < width; ++column) sum += x[row * 1000 + column];
  }
  y[threadIdx.x] = sum;
}
KERNEL same_divisor(float* x, float d, int n) {
#pragma unroll 1
  for (int k = 0; k < n; ++k) x[k] = x[k] / d;
}
KERNEL same_divisor_changed(float* x, float d, int n) {
  const float reciprocal = 1.0f / d;
#pragma unroll 1
  for (int k = 0; k < n; ++k) x[k] = x[k] * reciprocal;
}
KERNEL converting(const int* x, float* y, float* z, int n, int scale) {
#pragma unroll 1
  for (int k = 0; k < n; ++k) z[k] = y[k] * (float)scale + (float)*(volatile int*)x;
}
KERNEL converting_changed(const int* x, float* y, float* z, int n, int scale) {
  const float value = (float)*(volatile int*)x;
  const float factor = (float)scale;
#pragma unroll 1
  for (int k = 0; k < n; ++k) z[k] = y[k] * factor + value;
}

// --- loop-unrolling, code-reordering

KERNEL sum_loads(const float* x, float* y, int n, int stride) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += x[k * stride + threadIdx.x];
  y[threadIdx.x] = sum;
}
KERNEL sum_loads_changed(const float* x, float* y, int n, int stride) {
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < n; ++k) sum += x[k * stride + threadIdx.x];
  y[threadIdx.x] = sum;
}
KERNEL chained(float* y, float a, int n) {
  float v = y[threadIdx.x];
  for (int k = 0; k < n; ++k) v = v * a + 1.0f;
  y[threadIdx.x] = v;
}
KERNEL chained_changed(float* y, float a, int n) {
  float v[4] = {y[threadIdx.x], y[threadIdx.x + 32], y[threadIdx.x + 64], y[threadIdx.x + 96]};
  for (int k = 0; k < n; ++k) {
#pragma unroll 4
    for (int j = 0; j < 4; ++j) v[j] = v[j] * a + 1.0f;
  }
  y[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
KERNEL late_exit(const int* x, int* y) {
  int k = 0;
#pragma unroll 8
  while (x[k] != 0) ++k;
  y[threadIdx.x] = k;
}
KERNEL late_exit_changed(const int* x, int* y) {
  int k = 0;
  while (true) {
    int any = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) any |= x[k + j] == 0 ? 1 << j : 0;
    if (any != 0) {
      k += __ffs(any) - 1;
      break;
    }
    k += 8;
  }
  y[threadIdx.x] = k;
}
KERNEL fetched_late(const float* x, float* y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float v = x[k * 32 + threadIdx.x];
    for (int j = 0; j < 8; ++j) sum = sum * v + v;
  }
  y[threadIdx.x] = sum;
}
KERNEL fetched_late_changed(const float* x, float* y, int n) {
  float sum = 0;
  float next = x[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float v = next;
    if (k + 1 < n) next = x[(k + 1) * 32 + threadIdx.x];
    for (int j = 0; j < 8; ++j) sum = sum * v + v;
  }
  y[threadIdx.x] = sum;
}

// --- function-inlining, function-split

__device__ __noinline__ float called(float x, float y) { return x * y + x; }
__device__ __forceinline__ float inlined(float x, float y) { return x * y + x; }
KERNEL call(float* x, float y) { x[threadIdx.x] = called(x[threadIdx.x], y); }
KERNEL call_changed(float* x, float y) { x[threadIdx.x] = inlined(x[threadIdx.x], y); }
KERNEL large(float* x, int n) {
  float v = x[threadIdx.x];
#pragma unroll 16
  for (int k = 0; k < n; ++k) v = v * v + sinf(v);
  x[threadIdx.x] = v;
}
KERNEL large_changed(float* x, int n) {
  float v = x[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < n; ++k) v = v * v + sinf(v);
  x[threadIdx.x] = v;
}
__device__ __noinline__ float big(float v) { return sinf(v) + powf(v, 1.5f); }
__device__ __forceinline__ float big_inlined(float v) { return sinf(v) + powf(v, 1.5f); }
KERNEL many_calls(float* x) {
  float v = x[threadIdx.x];
  x[threadIdx.x] = big_inlined(big_inlined(big_inlined(v) + 1) + 2);
}
KERNEL many_calls_changed(float* x) {
  float v = x[threadIdx.x];
  x[threadIdx.x] = big(big(big(v) + 1) + 2);
}

// --- vector-access, memory-transaction-reduction

KERNEL words(const float* x, float* y) {
  const int i = 4 * threadIdx.x;
  y[threadIdx.x] = x[i] + x[i + 1] + x[i + 2] + x[i + 3];
}
KERNEL words_changed(const float* x, float* y) {
  const float4 v = reinterpret_cast<const float4*>(x)[threadIdx.x];
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
struct __align__(16) Record {
  int a, b, c, d;
};
struct Unaligned {
  int a, b, c, d;
};
KERNEL records(const Unaligned* x, int* y) {
  const Unaligned r = x[threadIdx.x];
  y[threadIdx.x] = r.a + r.b + r.c + r.d;
}
KERNEL records_changed(const Record* x, int* y) {
  const Record r = x[threadIdx.x];
  y[threadIdx.x] = r.a + r.b + r.c + r.d;
}
KERNEL bytes(const unsigned char* x, unsigned char* y) {
  const int i = 4 * threadIdx.x;
  for (int k = 0; k < 4; ++k) y[i + k] = 255 - x[i + k];
}
KERNEL bytes_changed(const uchar4* x, uchar4* y) {
  const uchar4 v = x[threadIdx.x];
  y[threadIdx.x] = make_uchar4(255 - v.x, 255 - v.y, 255 - v.z, 255 - v.w);
}
KERNEL halves(const unsigned short* x, unsigned short* y) {
  const int i = 4 * threadIdx.x;
  for (int k = 0; k < 4; ++k) y[i + k] = 1000 - x[i + k];
}
KERNEL halves_changed(const ushort4* x, ushort4* y) {
  const ushort4 v = x[threadIdx.x];
  y[threadIdx.x] = make_ushort4(1000 - v.x, 1000 - v.y, 1000 - v.z, 1000 - v.w);
}
KERNEL from_memory(const float* factor, float* x) { x[threadIdx.x] *= *factor; }
KERNEL from_memory_argument(float factor, float* x) { x[threadIdx.x] *= factor; }
__constant__ float kFactor[4];
KERNEL from_memory_constant(float* x) { x[threadIdx.x] *= kFactor[1]; }
KERNEL sum_in_memory(const float* x, float* y, int n) {
#pragma unroll 1
  for (int k = 0; k < n; ++k) y[threadIdx.x] += x[k];
}
KERNEL sum_in_memory_changed(const float* x, float* y, int n) {
  float sum = y[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += x[k];
  y[threadIdx.x] = sum;
}

// --- register-reuse, occupancy-increase

KERNEL indexed(const float* x, float* y, int n) {
  float v[8];
  for (int k = 0; k < n; ++k) v[k] = x[k];
  for (int k = 0; k < n; ++k) y[k] = v[n - 1 - k];
}
KERNEL indexed_changed(const float* x, float* y, int n) {
  float v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = k < n ? x[k] : 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) y[k] = v[7 - k];
}
KERNEL indexed_shared(const float* x, float* y, int n) {
  __shared__ float v[8][32];
  for (int k = 0; k < n; ++k) v[k][threadIdx.x] = x[k];
  for (int k = 0; k < n; ++k) y[k] = v[n - 1 - k][threadIdx.x];
}
__device__ __forceinline__ void crowd(const float* x, float* y) {
  float v[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) v[k] = x[k * 32 + threadIdx.x];
#pragma unroll
  for (int k = 0; k < 48; ++k) {
#pragma unroll
    for (int j = 0; j < 48; ++j) v[k] = v[k] * v[j] + 1.0f;
  }
#pragma unroll
  for (int k = 0; k < 48; ++k) y[k * 32 + threadIdx.x] = v[k];
}
KERNEL crowded(const float* x, float* y) { crowd(x, y); }
KERNEL __launch_bounds__(1024, 2) spilled(const float* x, float* y) { crowd(x, y); }
KERNEL __launch_bounds__(256) spilled_changed(const float* x, float* y) { crowd(x, y); }

// --- async-copy, shared-staging, bank-conflicts, branches, warps

KERNEL through_registers(const float* x, float* y, int n) {
  __shared__ float tile[128];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    tile[threadIdx.x] = x[k * 128 + threadIdx.x];
    __syncthreads();
    sum += tile[127 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}
KERNEL through_registers_changed(const float* x, float* y, int n) {
  __shared__ float tile[2][128];
  float sum = 0;
  __pipeline_memcpy_async(&tile[0][threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
  for (int k = 0; k < n; ++k) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k + 1 < n) {
      __pipeline_memcpy_async(&tile[(k + 1) % 2][threadIdx.x], &x[(k + 1) * 128 + threadIdx.x], 4);
    }
    __pipeline_commit();
    sum += tile[k % 2][127 - threadIdx.x];
  }
  y[threadIdx.x] = sum;
}
KERNEL chosen(const float* x, float* y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    if (x[k] > 0.5f) {
      sum = sum * x[k] + rsqrtf(x[k]) * __sinf(x[k]);
    }
  }
  y[threadIdx.x] = sum;
}
KERNEL chosen_changed(const float* x, float* y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float is = x[k] > 0.5f ? 1.0f : 0.0f;
    sum += is * (sum * x[k] + rsqrtf(x[k]) * __sinf(x[k]) - sum);
  }
  y[threadIdx.x] = sum;
}
KERNEL maximum(const float* x, float* y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float rest = 1.0f - x[k];
    if (rest > 0.0f) sum += rest * rest * rest * rsqrtf(x[k]) * (rest + sum) * __sinf(rest);
  }
  y[threadIdx.x] = sum;
}
KERNEL maximum_changed(const float* x, float* y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float rest = fmaxf(0.0f, 1.0f - x[k]);
    sum += rest * rest * rest * rsqrtf(x[k]) * (rest + sum) * __sinf(rest);
  }
  y[threadIdx.x] = sum;
}
KERNEL whole_block(float* y) {
  __shared__ float part[32];
  part[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = part[31 - threadIdx.x];
}
KERNEL whole_block_changed(float* y) {
  __shared__ float part[32];
  part[threadIdx.x] = y[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = part[31 - threadIdx.x];
}

// --- atomic-contention

KERNEL one_word(const float* x, float* sum) { atomicAdd(sum, x[blockIdx.x * 256 + threadIdx.x]); }
KERNEL one_word_changed(const float* x, float* sum) {
  __shared__ float parts[8];
  float v = x[blockIdx.x * 256 + threadIdx.x];
  for (int far = 16; far > 0; far /= 2) v += __shfl_down_sync(~0u, v, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k) v += parts[k];
    atomicAdd(sum, v);
  }
}
KERNEL one_count(const int* x, int* sum) { atomicAdd(sum, x[blockIdx.x * 256 + threadIdx.x]); }
KERNEL one_count_changed(const int* x, int* sum) {
  const int all = __reduce_add_sync(~0u, x[blockIdx.x * 256 + threadIdx.x]);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, all);
}
KERNEL few_words(const unsigned* x, unsigned* bins) {
  atomicAdd(&bins[x[blockIdx.x * 256 + threadIdx.x] % 256], 1u);
}
KERNEL few_words_changed(const unsigned* x, unsigned* bins) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    atomicAdd(&own[x[(blockIdx.x * 16 + k) * 256 + threadIdx.x] % 256], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
KERNEL few_bytes_changed(const uint4* x, unsigned* bins) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  const uint4 v = x[blockIdx.x * 256 + threadIdx.x];
  for (const unsigned word : {v.x, v.y, v.z, v.w}) {
    for (int k = 0; k < 32; k += 8) atomicAdd(&own[word >> k & 255], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
KERNEL places(const int* x, int* found, int* next, const int* amount) {
  const int v = x[threadIdx.x];
  if (v > 0) found[atomicAdd(next, *amount)] = v;
}
KERNEL places_changed(const int* x, int* found, int* next) {
  const int v = x[threadIdx.x];
  if (v > 0) {
    const unsigned active = __activemask();
    const int leader = __ffs(active) - 1;
    const int rank = __popc(active & ((1u << threadIdx.x % 32) - 1));
    int first = 0;
    if (rank == 0) first = atomicAdd(next, __popc(active));
    found[__shfl_sync(active, first, leader) + rank] = v;
  }
}
KERNEL places_group(const int* x, int* found, int* next) {
  const int v = x[threadIdx.x];
  if (v > 0) {
    const auto group = cooperative_groups::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(next, group.size());
    found[group.shfl(first, 0) + group.thread_rank()] = v;
  }
}
KERNEL reloaded(const float* weights, const float* x, float* y, int n) {
  for (int k = 0; k < n; ++k) {
    y[k * 256 + threadIdx.x] = weights[threadIdx.x] * x[k * 256 + threadIdx.x];
  }
}
KERNEL reloaded_changed(const float* __restrict__ weights, const float* __restrict__ x,
                        float* __restrict__ y, int n) {
  const float weight = weights[threadIdx.x];
  for (int k = 0; k < n; ++k) y[k * 256 + threadIdx.x] = weight * x[k * 256 + threadIdx.x];
}
KERNEL fourth_power(const float* x, float* y) {
  y[threadIdx.x] = powf(x[threadIdx.x], 4.0f);
}
KERNEL fourth_power_changed(const float* x, float* y) {
  const float v = x[threadIdx.x];
  y[threadIdx.x] = v * v * v * v;
}
KERNEL power_of_two(const float* x, float* y) {
  y[threadIdx.x] = powf(2.0f, x[threadIdx.x]);
}
KERNEL power_of_two_changed(const float* x, float* y) {
  y[threadIdx.x] = exp2f(x[threadIdx.x]);
}
KERNEL scanned(const int* x, int* y) {
  __shared__ int sums[256];
  const int t = threadIdx.x;
  sums[t] = x[t];
  __syncthreads();
  for (int far = 1; far < 256; far *= 2) {
    const int other = t >= far ? sums[t - far] : 0;
    __syncthreads();
    sums[t] += other;
    __syncthreads();
  }
  y[t] = sums[t];
}
__device__ int warp_scan(int v) {
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 >= d) v += other;
  }
  return v;
}
__device__ int before_warp(int v) {
  __shared__ int sums[8];
  if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = v;
  __syncthreads();
  const int warps = warp_scan(threadIdx.x % 32 < 8 ? sums[threadIdx.x % 32] : 0);
  const int before = __shfl_sync(0xffffffff, warps, (threadIdx.x / 32 + 31) % 32);
  return threadIdx.x < 32 ? 0 : before;
}
KERNEL scanned_changed(const int* x, int* y) {
  const int v = warp_scan(x[threadIdx.x]);
  y[threadIdx.x] = v + before_warp(v);
}
KERNEL flags_changed(const int* x, int* y) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned m = __ballot_sync(0xffffffff, x[threadIdx.x] > 0);
  const int v = __popc(m & (0xffffffff >> (31 - lane)));
  y[threadIdx.x] = v + before_warp(v);
}
