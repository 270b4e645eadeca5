// Floating-point functions in each precision, without approximations unless said.

// Double precision: division, square root, reciprocal square root, remainder, rounding.
__global__ void functions_f64(const double* __restrict__ a, const double* __restrict__ b,
                              double* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = a[i] * 1000 - 300, y = b[i] - 0.25;
  double* row = out + i * 8;
  row[0] = x / y;
  row[1] = sqrt(fabs(x));
  row[2] = rsqrt(y * y + 0.5);
  row[3] = fmod(x, y + 2);
  row[4] = rint(x) + floor(y * 10) + trunc(x) + ceil(y);
  row[5] = fma(x, y, -x * y);
  row[6] = fmin(x, y) + fmax(x, -y);
  row[7] = fdim(x, y) + copysign(y, x);
}

// Double-precision exponential, logarithm, sine and power: long chains of DFMA.
__global__ void transcendental_f64(const double* __restrict__ in, double* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double x = in[i];
    out[i] =
        exp(4 * x) + log(x + 0.01) + sin(10 * x) * cos(3 * x) + pow(x + 0.5, 2.5) + atan2(x, 0.7);
  }
}

// Single precision with IEEE rounding: division, square root, directed rounding, remainders,
// subnormal results.
__global__ void functions_f32(const float* __restrict__ a, const float* __restrict__ b,
                              float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i] * 1000 - 300, y = b[i] - 0.25f;
  float* row = out + i * 12;
  row[0] = x / y;
  row[1] = sqrtf(fabsf(x));
  row[2] = __fadd_rz(x, y) + __fmul_ru(x, y);
  row[3] = __fmaf_rd(x, y, 1.0f) - __fadd_ru(x, y);
  row[4] = fmodf(x, y + 2);
  row[5] = rintf(x) + floorf(y * 10) + truncf(x) + ceilf(y) + roundf(x * 0.5f);
  row[6] = x * 1e-37f * (y * 1e-3f);
  row[7] = ldexpf(x, -130) + nextafterf(y, 1.0f);
  row[8] = __saturatef(y * 2) + copysignf(x, y);
  row[9] = logf(fabsf(x) + 0.001f);
  row[10] = sinf(x) * cosf(y);
  row[11] = fmaf(x, y, -x * y) + fdimf(x, y);
}

// Arguments so large that sinf needs its slow reduction with a table in local or constant memory.
__global__ void sine_large(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = sinf(in[i] * (i % 2 == 0 ? 1e6f : 3e20f));
}

// The approximate functions: MUFU in all its forms through expf, powf, tanhf, __sinf and their
// like.
__global__ void functions_fast(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i] + 0.1f;
  float* row = out + i * 12;
  row[0] = expf(5 * x);
  row[1] = powf(x, 3.3f);
  row[2] = tanhf(x);
  row[3] = __sinf(x);
  row[4] = __cosf(x);
  row[5] = __logf(x + 1.5f);
  row[6] = __expf(x);
  row[7] = rsqrtf(x);
  row[8] = __frcp_rn(x) + __fdividef(1.0f, x);
  row[9] = exp2f(x) + log2f(x + 2);
  row[10] = erff(x) + tgammaf(x + 2) + atanf(x);
  row[11] = sinhf(x) + asinhf(x) + exp10f(x) + cbrtf(x) + static_cast<float>(cbrt(double{x}));
}

// Conversions between all widths: F2I, I2F, F2F with rounding modes, and out-of-range inputs.
__global__ void conversions(const double* __restrict__ in, long long* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = (in[i] - 0.5) * (i % 3 == 0 ? 1e20 : i % 3 == 1 ? 1e6 : 3e10);
  float f = static_cast<float>(x);
  long long* row = out + i * 12;
  row[0] = static_cast<long long>(x);
  row[1] = static_cast<long long>(static_cast<unsigned long long>(f));
  row[2] = static_cast<int>(f);
  row[3] = static_cast<unsigned>(x);
  row[4] = __float2int_ru(f) + static_cast<long long>(__float2int_rd(f));
  row[5] = __double2ll_rn(x);
  row[6] = static_cast<signed char>(static_cast<int>(f)) + static_cast<unsigned short>(f);
  row[7] = __double_as_longlong(static_cast<double>(__double2ll_rz(x)));
  row[8] = __float_as_int(__ll2float_rz(row[0]));
  row[9] = __float_as_int(__uint2float_ru(static_cast<unsigned>(row[5])));
  row[10] = __float_as_int(__double2float_ru(x));
  row[11] = __double2hiint(x) ^ __double2loint(x);
}

// Sums with compensation (Kahan) and in double-double: exact error terms that a rearranging
// emulator would lose.
__global__ void compensated(const float* __restrict__ in, float2* __restrict__ kahan,
                            double2* __restrict__ pair, int each, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0, error = 0;
  double high = 0, low = 0;
  for (int k = 0; k < each; ++k) {
    float value = in[k * n + i];
    float y = value - error, t = sum + y;
    error = (t - sum) - y;
    sum = t;
    double wide = value;
    double product = wide * high, rest = fma(wide, high, -product);
    double s = high + wide, v = s - high;
    low += (high - (s - v)) + (wide - v) + 1e-9 * rest;
    high = s + 1e-12 * product;
  }
  kahan[i] = make_float2(sum, error);
  pair[i] = make_double2(high, low);
}
