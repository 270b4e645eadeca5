// Sixteen-bit floating point: half and bfloat16, packed in pairs.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// y = a·x + y in packed halves: HFMA2.
__global__ void axpy_half(const __half2* __restrict__ x, __half2* __restrict__ y, float a, int n) {
  __half2 factor = __float2half2_rn(a);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = __hfma2(factor, x[i], y[i]);
  }
}

// y = a·x + y in bfloat16, eight values per 128-bit load.
__global__ void axpy_bfloat(const uint4* __restrict__ x, uint4* __restrict__ y, float a, int n) {
  __nv_bfloat162 factor = __float2bfloat162_rn(a);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 u = x[i], v = y[i];
    unsigned* from = &u.x;
    unsigned* to = &v.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      // Random bits would hold infinities: the exponent is cut to keep numbers near one.
      unsigned left = (from[k] & 0x807f807f) | 0x3f003f00,
               right = (to[k] & 0x807f807f) | 0x3f003f00;
      __nv_bfloat162 sum = __hfma2(factor, *reinterpret_cast<__nv_bfloat162*>(&left),
                                   *reinterpret_cast<__nv_bfloat162*>(&right));
      to[k] = *reinterpret_cast<unsigned*>(&sum);
    }
    y[i] = v;
  }
}

// Arithmetic on any bit patterns, NaN and infinities included: add, multiply, compare, min, max,
// fused with saturation and rectification.
__global__ void half_patterns(const __half2* __restrict__ a, const __half2* __restrict__ b,
                              __half2* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 x = a[i], y = b[i];
  __half2* row = out + i * 12;
  row[0] = __hadd2(x, y);
  row[1] = __hmul2(x, y);
  row[2] = __hsub2(x, y);
  row[3] = __hfma2_sat(x, y, x);
  row[4] = __hfma2_relu(x, y, y);
  row[5] = __hmin2(x, y);
  row[6] = __hmax2_nan(x, y);
  row[7] = __hgt2(x, y);
  row[8] = __hneg2(__habs2(x));
  row[9] = __hadd2_sat(x, __lowhigh2highlow(y));
  row[10] = __halves2half2(__low2half(x), __high2half(y));
  row[11] = __hltu2(x, y);
}

// Arithmetic on any bit patterns in bfloat16.
__global__ void bfloat_patterns(const __nv_bfloat162* __restrict__ a,
                                const __nv_bfloat162* __restrict__ b,
                                __nv_bfloat162* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_bfloat162 x = a[i], y = b[i];
  __nv_bfloat162* row = out + i * 8;
  row[0] = __hadd2(x, y);
  row[1] = __hmul2(x, y);
  row[2] = __hfma2(x, y, x);
  row[3] = __hmin2(x, y);
  row[4] = __hmax2(x, y);
  row[5] = __hge2(x, y);
  row[6] = __hfma2_relu(x, y, y);
  row[7] = __hneg2(__habs2(y));
}

// Conversions from and to float, double and integers, with each rounding.
__global__ void half_conversions(const float* __restrict__ in, unsigned short* __restrict__ out,
                                 int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = (in[i] - 0.5f) * (i % 2 == 0 ? 100000.0f : 1e-5f);
  unsigned short* row = out + i * 12;
  row[0] = __half_as_ushort(__float2half_rn(x));
  row[1] = __half_as_ushort(__float2half_rz(x));
  row[2] = __half_as_ushort(__float2half_ru(x));
  row[3] = __half_as_ushort(__float2half_rd(x));
  row[4] = __half_as_ushort(__double2half(x * 1.25));
  row[5] = __half_as_ushort(__int2half_rn(static_cast<int>(x)));
  row[6] = static_cast<unsigned short>(__half2short_rz(__float2half_rn(x)));
  row[7] = __bfloat16_as_ushort(__float2bfloat16_rn(x));
  row[8] = __bfloat16_as_ushort(__float2bfloat16_rz(x));
  __half2 both = __floats2half2_rn(x, x * 3);
  row[9] = __half_as_ushort(__high2half(both));
  row[10] = __half_as_ushort(hfloor(__float2half_rn(x * 0.01f)));
  row[11] = static_cast<unsigned short>(
      __float_as_uint(__half2float(__ushort_as_half(static_cast<unsigned short>(i * 37)))) >> 13);
}

// The gelu function in halves: h2exp and h2rcp, MUFU in 16 bits.
__global__ void gelu_half(const __half2* __restrict__ in, __half2* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    __half2 x = in[i];
    __half2 one = __float2half2_rn(1.0f);
    __half2 scaled = __hmul2(x, __float2half2_rn(-1.702f));
    out[i] = __hmul2(x, h2rcp(__hadd2(one, h2exp(scaled))));
  }
}

// A dot product of halves summed in float: HADD2.F32 and FFMA, a warp per row.
__global__ void dot_half(const __half2* __restrict__ a, const __half2* __restrict__ b,
                         float* __restrict__ out, int length, int rows) {
  int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = lane; k < length; k += 32) {
    float2 x = __half22float2(a[row * length + k]), y = __half22float2(b[row * length + k]);
    sum += x.x * y.x + x.y * y.y;
  }
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffff, sum, mask);
  if (lane == 0) out[row] = sum;
}
