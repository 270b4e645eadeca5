// A 16×8 tile of c += a·b on the tensor cores, operands by asynchronous copy and ldmatrix.
#include <cuda_fp16.h>

__global__ void __launch_bounds__(32) tile_product(const half* a, const half* b, float* c, int k) {
  __shared__ alignas(16) half tile_a[16 * 16];
  __shared__ alignas(16) half tile_b[16 * 8];
  int lane = threadIdx.x;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile_a));
  unsigned bt = static_cast<unsigned>(__cvta_generic_to_shared(tile_b));
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
#pragma unroll 1
  for (int i = 0; i < k; i += 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at + lane * 16),
                 "l"(a + i * 16 + lane * 8));
    if (lane < 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(bt + lane * 16),
                   "l"(b + i * 8 + lane * 8));
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
    __syncwarp();
    unsigned a0, a1, a2, a3, b0, b1;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3)
                 : "r"(at + lane * 16));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(b0), "=r"(b1)
                 : "r"(bt + (lane & 15) * 16));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    __syncwarp();
  }
  reinterpret_cast<float2*>(c)[lane] = make_float2(d0, d1);
  reinterpret_cast<float2*>(c)[lane + 32] = make_float2(d2, d3);
}
