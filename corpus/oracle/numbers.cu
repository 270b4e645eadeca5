// Arithmetic as compilers see it: library functions, long expressions, many live registers, spills.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void functions(const float* in, float* out) {
  float x = in[threadIdx.x];
  out[0] = sinf(x), out[1] = cosf(x), out[2] = tanf(x), out[3] = expf(x), out[4] = logf(x);
  out[5] = powf(x, in[1]), out[6] = tanhf(x), out[7] = erff(x), out[8] = cbrtf(x);
  out[9] = fmodf(x, in[2]), out[10] = atan2f(x, in[3]), out[11] = lgammaf(x), out[12] = rintf(x);
  out[13] = __fdividef(x, in[4]), out[14] = __powf(x, 3), out[15] = frexpf(x, (int*)&out[16]);
  out[17] = hypotf(x, in[5]), out[18] = normcdff(x), out[19] = j0f(x),
  out[20] = remainderf(x, in[6]);
}

__global__ void functions64(const double* in, double* out) {
  double x = in[threadIdx.x];
  out[0] = sin(x), out[1] = exp(x), out[2] = log(x), out[3] = pow(x, in[1]), out[4] = atan(x);
  out[5] = floor(x), out[6] = ldexp(x, 3), out[7] = fmin(x, in[2]), out[8] = erfc(x);
}

template <typename T, int kCount>
__device__ void polynomial_system(const T* in, T* out) {
  T v[kCount];
  for (int i = 0; i < kCount; ++i) v[i] = in[i * 32 + threadIdx.x];
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < kCount; ++i) v[i] = v[i] * v[(i + 7) % kCount] + v[(i * 5 + 3) % kCount];
  for (int i = 0; i < kCount; ++i) out[i * 32 + threadIdx.x] = v[i];
}

__global__ void many_floats(const float* in, float* out) {
  polynomial_system<float, 180>(in, out);
}
__global__ void many_ints(const int* in, int* out) {
  polynomial_system<int, 150>(in, out);
}
__global__ void many_doubles(const double* in, double* out) {
  polynomial_system<double, 90>(in, out);
}
__global__ void many_longs(const long long* in, long long* out) {
  polynomial_system<long long, 60>(in, out);
}
__global__ void many_halves(const half2* in, half2* out) {
  polynomial_system<half2, 160>(in, out);
}
__global__ void many_bfloats(const __nv_bfloat162* in, __nv_bfloat162* out) {
  polynomial_system<__nv_bfloat162, 120>(in, out);
}
__global__ void __launch_bounds__(1024) spilled(const double* in, double* out) {
  polynomial_system<double, 70>(in, out);
}

__global__ void integers(const int* in, unsigned* out, int a, int b, unsigned c) {
  int x = in[threadIdx.x], y = in[threadIdx.x + 32];
  out[0] = x / a + x % b, out[1] = c / x, out[2] = __mulhi(x, y), out[3] = __umulhi(x, c);
  out[4] = __byte_perm(x, y, c), out[5] = __funnelshift_l(x, y, a), out[6] = __vadd4(x, y);
  out[7] = __vmaxu2(x, y), out[8] = __vabsdiffs4(x, y), out[9] = __dp4a(x, y, a),
  out[10] = __ffs(x);
  out[11] = __clzll(x * 77ll), out[12] = __sad(x, y, c), out[13] = __rhadd(x, y),
  out[14] = __hadd(x, y);
  out[15] = __vcmpgts4(x, y), out[16] = __vimax3_s32(x, y, a), out[17] = __viaddmin_s32(x, y, b);
  out[18] = __vibmax_s32(x, y, (bool*)&out[40]), out[19] = __vimin3_s16x2_relu(x, y, a);
  out[20] = __viaddmax_s16x2(x, y, a), out[21] = max(min(x, a), b), out[22] = x > 0 ? a : b;
}

__global__ void packed(const half2* in, half2* out, __nv_bfloat162* wide, const float4* f,
                       __nv_fp8x4_e4m3* e4m3, __nv_fp8x4_e5m2* e5m2) {
  int i = threadIdx.x;
  half2 a = in[i], b = in[i + 32];
  out[0] = h2sin(a), out[1] = h2exp(b), out[2] = h2rcp(a), out[3] = h2log2(b), out[4] = h2rsqrt(a);
  out[5] = __hmax2_nan(a, b), out[6] = __hlt2(a, b), out[7] = h2trunc(a), out[8] = __h2div(a, b);
  out[9] = __lowhigh2highlow(a), out[10] = __hfma2_sat(a, b, a), out[11] = __habs2(a);
  wide[i] = __hmin2(__hmul2(wide[i + 1], wide[i + 2]), h2exp2(wide[i + 3]));
  e4m3[i] = __nv_fp8x4_e4m3(f[i]);
  e5m2[i] = __nv_fp8x4_e5m2(f[i + 1]);
  out[12] = __float22half2_rn(make_float2(static_cast<float4>(e4m3[i + 2]).x, 1.0f));
}
