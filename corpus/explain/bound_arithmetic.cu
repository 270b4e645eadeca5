// Kernels that one arithmetic unit bounds, by its throughput or by its latency; and one that only
// the issue slots bound. Those of latency are launched with one warp per scheduler, so that nothing
// stands between an instruction and the next one, which needs its result.

__device__ int thread_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// fma, throughput: four congruential generators side by side. IMAD runs on one of the two units
// that FFMA has, so the unit is full where half of the issue slots are empty.
__global__ void generators(unsigned* __restrict__ out, unsigned factor, int rounds) {
  unsigned a = thread_index(), b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
    a = a * factor + 12345u;
    b = b * factor + 54321u;
    c = c * factor + 77777u;
    d = d * factor + 99999u;
  }
  out[thread_index()] = a ^ b ^ c ^ d;
}

// fma, latency: the logistic map, whose next value needs the one before.
__global__ void logistic(float* __restrict__ out, float rate, int rounds) {
  float x = 0.25f + 0.0001f * threadIdx.x;
#pragma unroll 16
  for (int round = 0; round < rounds; ++round) x = fmaf(x, rate, 0.125f);
  out[thread_index()] = x;
}

__device__ unsigned rotate(unsigned value, int by) {
  return __funnelshift_l(value, value, by);
}

// alu, throughput: rotations and bit functions of four words side by side, as in hashes.
__global__ void bit_mixing(unsigned* __restrict__ out, unsigned key, int rounds) {
  unsigned a = thread_index(), b = ~a, c = a ^ key, d = b ^ key;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
    a = rotate(a ^ (b & c), 7);
    b = rotate(b ^ (c & d), 12);
    c = rotate(c ^ (d | key), 16);
    d = rotate(d ^ (a | key), 9);
  }
  out[thread_index()] = a ^ b ^ c ^ d;
}

// alu, latency: the same of a single word.
__global__ void bit_chain(unsigned* __restrict__ out, unsigned key, int rounds) {
  unsigned a = thread_index();
#pragma unroll 16
  for (int round = 0; round < rounds; ++round) a = rotate(a, 7) ^ key;
  out[thread_index()] = a;
}

// fp64, throughput: polynomials at four places side by side.
__global__ void polynomials_f64(double* __restrict__ out, double scale, int rounds) {
  double x = 1e-6 * thread_index(), a = x, b = x + 0.1, c = x + 0.2, d = x + 0.3;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
    a = fma(a, scale, 0.5);
    b = fma(b, scale, 0.25);
    c = fma(c, scale, 0.125);
    d = fma(d, scale, 0.0625);
  }
  out[thread_index()] = a + b + c + d;
}

// fp64, latency: one polynomial by Horner's rule.
__global__ void horner_f64(double* __restrict__ out, double scale, int rounds) {
  double x = 1e-6 * thread_index();
#pragma unroll 16
  for (int round = 0; round < rounds; ++round) x = fma(x, scale, 0.5);
  out[thread_index()] = x;
}

__device__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ float inverse_root(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// xu, throughput: sums of exponentials, as a softmax needs them.
__global__ void exponentials(float* __restrict__ out, float step, int rounds) {
  float x = -1e-3f * threadIdx.x, a = 0, b = 0;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
    a += power_of_two(x);
    b += power_of_two(x + 0.5f);
    x -= step;
  }
  out[thread_index()] = a + b;
}

// xu, throughput: bits counted, with nothing but a sum beside.
__global__ void bit_counts(unsigned* __restrict__ out, unsigned step, int rounds) {
  unsigned x = thread_index(), sum = 0;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
    sum += __popc(x);
    x += step;
  }
  out[thread_index()] = sum;
}

// xu, latency: inverse square roots of one another.
__global__ void root_chain(float* __restrict__ out, int rounds) {
  float x = 2.0f + threadIdx.x;
#pragma unroll 16
  for (int round = 0; round < rounds; ++round) x = inverse_root(x);
  out[thread_index()] = x;
}

// uniform, latency: a generator that all threads of the launch share, in the uniform registers.
__global__ void shared_generator(unsigned* __restrict__ out, unsigned seed, unsigned factor,
                                 int rounds) {
  unsigned state = seed;
#pragma unroll 16
  for (int round = 0; round < rounds; ++round) state = state * factor + 12345u;
  out[thread_index()] = state + threadIdx.x;
}

// uniform, throughput: four of them side by side, in many warps.
__global__ void shared_generators(unsigned* __restrict__ out, unsigned seed, unsigned factor,
                                  int rounds) {
  unsigned a = seed, b = seed + 1, c = seed + 2, d = seed + 3;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
    a = a * factor + 12345u;
    b = b * factor + 54321u;
    c = c * factor + 77777u;
    d = d * factor + 99999u;
  }
  out[thread_index()] = (a ^ b ^ c ^ d) + threadIdx.x;
}

// issue: sums of floats and functions of bits in turn, so that every slot is taken and no unit is
// full.
__global__ void mixed_work(float* __restrict__ out, int rounds) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  unsigned x = thread_index();
#pragma unroll 16
  for (int round = 0; round < rounds; ++round) {
    a += 0.5f;
    b += 0.25f;
    x += 0x9e3779b9u;
    c += 0.125f;
    d += 0.0625f;
    x ^= 0x7f4a7c15u;
  }
  out[thread_index()] = a + b + c + d + static_cast<float>(x);
}
