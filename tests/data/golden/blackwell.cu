// sm_100a: tensor memory, a fifth-generation matrix product, and its result read back.
__global__ void __launch_bounds__(128)
    tensor_memory(unsigned long long a, unsigned long long b, unsigned instruction, unsigned* out) {
  __shared__ unsigned address;
  __shared__ alignas(8) unsigned long long done;
  unsigned where = static_cast<unsigned>(__cvta_generic_to_shared(&address));
  unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&done));
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(where));
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
  __syncthreads();
  unsigned tmem = address;
  if (threadIdx.x == 0) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %3, 0;"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(tmem),
        "l"(a), "l"(b), "r"(instruction));
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar));
  }
  asm volatile(
      "{ .reg .pred p; wait: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra wait; }" ::"r"(
          bar)
      : "memory");
  unsigned v0, v1, v2, v3;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v0), "=r"(v1), "=r"(v2), "=r"(v3)
               : "r"(tmem));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  reinterpret_cast<uint4*>(out)[threadIdx.x] = make_uint4(v0, v1, v2, v3);
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(tmem));
}
