// PTX that programmers write themselves: tensor cores, TMA, barriers, scopes, labels and
// prototypes.
#include <cstdint>

__global__ void matrix_product(const uint32_t* a, const uint32_t* b, float* c) {
  float d[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32\n"
      "    {%0, %1, %2, %3},  // the result\n"
      "    {%4, %5}, {%6},\n"
      "    {%7, %8, %9, %10};\n"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
  for (int i = 0; i < 4; ++i) c[threadIdx.x * 4 + i] = d[i];
}

__global__ void scopes(uint32_t* out, uint32_t n) {
  uint32_t r = 0;
  asm volatile(
      "{\n\t"
      ".reg .pred p, q;\n\t"
      ".reg .b32 t<3>; .reg .v2 .b32 pair;\n\t"
      "setp.lt.u32 p|q, %1, 0x20;\n\t"
      "mov.b32 t0, (1 << 3) - 1; /* a constant */\n\t"
      "@!p bra DONE%=;\n\t"
      "{ .reg .b32 t0; add .u32 t0, %1, 1; mov.u32 t1, t0; }\n\t"
      "DONE%=: add.u32 %0, t0, t1;\n\t"
      "}"
      : "=r"(r)
      : "r"(n));
  asm volatile("" ::: "memory");
  asm volatile("// a comment alone");
  asm volatile("bar.sync 1, 64; membar.gl;");
  out[threadIdx.x] = r;
}

#if __CUDA_ARCH_FEAT_SM90_ALL
__global__ void hopper(const __grid_constant__ char map, uint32_t* out, uint64_t a, uint64_t b) {
  __shared__ alignas(128) uint8_t tile[4096];
  __shared__ uint64_t barrier;
  const uint32_t shared = static_cast<uint32_t>(__cvta_generic_to_shared(tile));
  const uint32_t mbarrier = static_cast<uint32_t>(__cvta_generic_to_shared(&barrier));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(mbarrier), "r"(1));
  asm volatile("fence.proxy.async.shared::cta;");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" ::"r"(mbarrier));
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared),
      "l"(&map), "r"(0), "r"(8), "r"(mbarrier), "l"(0x1000000000000000));
  asm volatile(
      "{\n.reg .pred P1;\nLAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(mbarrier),
      "r"(0));
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %6, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, -1, 0, 1;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(a), "l"(b), "r"(1));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  asm volatile("griddepcontrol.wait;");
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;");
  asm volatile(
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0+4], %1, "
      "[%2];" ::"r"(shared),
      "r"(1), "r"(mbarrier));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0 + 16], {%1, %2};" ::"r"(shared),
               "r"(1), "r"(2));
  out[threadIdx.x] = __float_as_uint(d[0] + d[3]) + tile[threadIdx.x];
}
#endif
