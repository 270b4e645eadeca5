// Exercises TMA: a 2D tile is loaded, changed and stored; boxes that reach over the edge read zeros
// and store only what is inside.
#include <cuda.h>

#include <cstdint>

constexpr int kWidth = 32, kHeight = 16;

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Each element becomes itself plus its right neighbour in the tile.
__global__ void tensor_tile(const __grid_constant__ CUtensorMap in,
                            const __grid_constant__ CUtensorMap out) {
  __shared__ alignas(128) float tile[kHeight][kWidth];
  __shared__ alignas(128) float result[kHeight][kWidth];
  __shared__ alignas(8) std::uint64_t full;
  const std::uint32_t barrier = shared_address(&full);
  const int x = blockIdx.x * kWidth, y = blockIdx.y * kHeight;
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&in) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(static_cast<std::uint32_t>(sizeof(tile)))
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%3, %4}], [%2];" ::"r"(shared_address(tile)),
        "l"(&in), "r"(barrier), "r"(x), "r"(y)
        : "memory");
  }
  __syncthreads();
  wait(barrier, 0);
  for (int i = threadIdx.x; i < kWidth * kHeight; i += blockDim.x) {
    const int row = i / kWidth, column = i % kWidth;
    result[row][column] = tile[row][column] + tile[row][(column + 1) % kWidth];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(
            &out),
        "r"(shared_address(result)), "r"(x), "r"(y)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// The same with three dimensions, every second row, a swizzle of 32 bytes, and a reduction into
// memory instead of a store: integers, so that the order of the blocks does not show.
__global__ void tensor_add(const __grid_constant__ CUtensorMap in,
                           const __grid_constant__ CUtensorMap sum) {
  __shared__ alignas(128) std::uint32_t tile[2 * 8 * 8];
  __shared__ alignas(8) std::uint64_t full;
  const std::uint32_t barrier = shared_address(&full);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(static_cast<std::uint32_t>(sizeof(tile)))
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%3, %4, %5}], [%2];" ::"r"(shared_address(tile)),
        "l"(&in), "r"(barrier), "r"(blockIdx.x * 8), "r"(blockIdx.y * 16), "r"(blockIdx.z * 2)
        : "memory");
  }
  __syncthreads();
  wait(barrier, 0);
  for (int i = threadIdx.x; i < 2 * 8 * 8; i += blockDim.x) tile[i] = tile[i] % 1000 + i;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3}], "
        "[%1];" ::"l"(&sum),
        "r"(shared_address(tile)), "r"(blockIdx.x * 8), "r"(blockIdx.y * 16)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
