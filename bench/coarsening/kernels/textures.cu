// Textures, surfaces, half and bfloat16 arithmetic, video instructions, 128-bit and 8-bit data.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void sampled(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float4* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  float4 a = tex2D<float4>(texture, x + 0.5f, y + 0.5f);
  const float b = tex3D<float>(texture, 0.5f, x, y);
  const float4 c = tex2DLod<float4>(texture, x, y, 2.0f);
  const float4 d = tex2Dgather<float4>(texture, x, y, 1);
  const float e = tex1Dfetch<float>(texture, x) + texCubemap<float>(texture, 1, 0, x);
  const float f = tex2DLayered<float>(texture, x, y, 3);
  a.x += b + c.y + d.z + e + f;
  const int old = surf2Dread<int>(surface, x * 4, y);
  surf2Dwrite(old + 1, surface, x * 4, y, cudaBoundaryModeClamp);
  out[x] = a;
}

__global__ void halves(const __half2* a, __nv_bfloat162* b, __nv_fp8_e4m3* c, __half* d) {
  const int i = threadIdx.x;
  __half2 x = __hfma2(a[i], a[i + 1], __float2half2_rn(0.5f));
  x = h2exp(__hmul2_sat(x, __h2div(x, a[i])));
  d[i] = __hadd(__low2half(x), __high2half(x));
  const float2 wide = __half22float2(x);
  b[i] = __floats2bfloat162_rn(wide.x, wide.y);
  c[i] = __nv_fp8_e4m3(wide.x);
  if (__hgt(d[i], __float2half(2))) d[i] = hsqrt(d[i]);
}

__global__ void packed(const uchar4* a, unsigned* b, int* c, longlong2* d, char* e) {
  const int i = threadIdx.x;
  b[i] = __vabsdiffu4(b[i], 0x01020304) + __byte_perm(b[i], 7, 0x4321) + __dp4a(b[i], 3u, 1u);
  c[i] = __popc(b[i]) + __clz(c[i]) + __mulhi(c[i], 77) + __funnelshift_l(1, 2, c[i]) + a[i].x;
  d[i] = make_longlong2(d[i].y * d[i].x, __mul64hi(d[i].x, 5));
  e[i] = static_cast<char>(e[i] / 3 % 5);
  const unsigned same = __match_any_sync(0xffffffffu, c[i]) | __ballot_sync(~0u, e[i] > 1);
  atomicCAS(c, static_cast<int>(same), 5);
  __nanosleep(100);
  c[i] += static_cast<int>(clock64()) + __activemask();
}
