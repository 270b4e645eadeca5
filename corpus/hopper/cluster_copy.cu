// Exercises what crosses the blocks of a cluster besides loads: TMA multicast, bulk copies from one
// block's shared memory to another's, and arrivals on another block's mbarrier.
#include <cuda.h>

#include <cstdint>

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ std::uint32_t of_block(std::uint32_t address, std::uint32_t rank) {
  std::uint32_t mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

__device__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

__device__ void wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

constexpr int kColumns = 32, kRows = 16, kBlocks = 4;

// out = a x: every block of the cluster needs the whole x (kBlocks * kRows of them at a time); each
// fetches a quarter and sends it to all. a has `depth` columns, x `depth` rows of 32.
__global__ void __cluster_dims__(kBlocks, 1, 1)
    multicast(const __grid_constant__ CUtensorMap x, const float* a, float* out, int depth) {
  __shared__ alignas(128) float tile[kBlocks * kRows][kColumns];
  __shared__ alignas(8) std::uint64_t full;
  const std::uint32_t barrier = shared_address(&full);
  const std::uint32_t rank = cluster_rank();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  const int row = blockIdx.x * blockDim.x / kColumns + threadIdx.x / kColumns;
  const int column = threadIdx.x % kColumns;
  float sum = 0;
  std::uint32_t parity = 0;
  for (int first = 0; first < depth; first += kBlocks * kRows) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                   "r"(static_cast<std::uint32_t>(sizeof(tile)))
                   : "memory");
      const std::uint16_t everyone = (1 << kBlocks) - 1;
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
          ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
              shared_address(tile[rank * kRows])),
          "l"(&x), "r"(barrier), "r"(0), "r"(first + static_cast<int>(rank) * kRows), "h"(everyone)
          : "memory");
    }
    wait(barrier, parity);
    parity ^= 1;
    for (int k = 0; k < min(kBlocks * kRows, depth - first); ++k) {
      sum += a[row * depth + first + k] * tile[k][column];
    }
    cluster_sync();  // all have read the tile before anyone sends the next one
  }
  out[row * kColumns + column] = sum;
}

// Each block sends what it has to the next of its cluster, `rounds` times, and adds its rank. With
// three buffers the one that is filled now was sent on two rounds ago, and by the time the next
// block says that it has got the last round's, it has heard that this one has arrived.
__global__ void ring(const std::uint32_t* in, std::uint32_t* out, int rounds) {
  constexpr std::uint32_t kWords = 256;
  __shared__ alignas(128) std::uint32_t buffer[3][kWords];
  __shared__ alignas(8) std::uint64_t full, empty;
  std::uint32_t blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  const std::uint32_t rank = cluster_rank();
  const std::uint32_t next = (rank + 1) % blocks, previous = (rank + blocks - 1) % blocks;
  const std::uint32_t full_here = shared_address(&full), empty_here = shared_address(&empty);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full_here) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty_here), "r"(blockDim.x)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  for (std::uint32_t i = threadIdx.x; i < kWords; i += blockDim.x) {
    buffer[0][i] = in[blockIdx.x * kWords + i];
  }
  cluster_sync();
  for (int round = 0; round < rounds; ++round) {
    const int from = round % 3, to = (round + 1) % 3;
    for (std::uint32_t i = threadIdx.x; i < kWords; i += blockDim.x)
      buffer[from][i] += rank * 1000 + i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      if (round > 0) wait(empty_here, (round - 1) % 2);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full_here),
                   "r"(static_cast<std::uint32_t>(sizeof(buffer[0])))
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(of_block(shared_address(buffer[to]), next)),
          "r"(shared_address(buffer[from])), "r"(static_cast<std::uint32_t>(sizeof(buffer[0]))),
          "r"(of_block(full_here, next))
          : "memory");
    }
    wait(full_here, round % 2);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                     of_block(empty_here, previous))
                 : "memory");
    __syncthreads();
  }
  cluster_sync();
  for (std::uint32_t i = threadIdx.x; i < kWords; i += blockDim.x) {
    out[blockIdx.x * kWords + i] = buffer[rounds % 3][i];
  }
}
