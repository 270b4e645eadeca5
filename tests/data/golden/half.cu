// Packed half precision, bfloat16 and eight-bit floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void blend(const half2* a, const half2* b, half2* out, __nv_bfloat162* wide,
                      __nv_fp8x2_e4m3* narrow) {
  int i = threadIdx.x;
  half2 v = __hfma2_relu(a[i], b[i], __hmul2(a[i + 1], b[i + 1]));
  v = __hmin2(__hadd2(v, __hneg2(b[i])), __hmax2(a[i], h2exp2(v)));
  if (__hbgt2(v, a[i])) v = __hadd2_sat(v, v);
  out[i] = v;
  float2 f = __half22float2(v);
  wide[i] = __hfma2(__float22bfloat162_rn(f), wide[i], wide[i + 1]);
  narrow[i] = __nv_fp8x2_e4m3(f);
}
