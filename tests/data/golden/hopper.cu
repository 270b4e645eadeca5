// sm_90a: a tile by TMA, waited for on an mbarrier, multiplied by a warpgroup, stored by TMA.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

__global__ void __launch_bounds__(128)
    warpgroup_product(const __grid_constant__ TensorMap in, const __grid_constant__ TensorMap out,
                      unsigned long long a, unsigned long long b) {
  __shared__ alignas(128) float tile[64 * 8];
  __shared__ alignas(8) unsigned long long arrived;
  unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  unsigned dst = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 2048;" ::"r"(bar));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3}], [%4];" ::"r"(dst),
        "l"(&in), "r"(blockIdx.x), "r"(blockIdx.y), "r"(bar)
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{ .reg .pred p; wait: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra wait; }" ::"r"(
          bar)
      : "memory");
  float d0, d1, d2, d3;
  d0 = tile[threadIdx.x], d1 = tile[threadIdx.x + 128];
  d2 = tile[threadIdx.x + 256], d3 = tile[threadIdx.x + 384];
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "l"(a), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  tile[threadIdx.x] = d0, tile[threadIdx.x + 128] = d1;
  tile[threadIdx.x + 256] = d2, tile[threadIdx.x + 384] = d3;
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out),
        "r"(blockIdx.x), "r"(blockIdx.y), "r"(dst)
        : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
  }
}
