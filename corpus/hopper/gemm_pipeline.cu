// Exercises a GEMM as Hopper wants it: TMA fills a ring of stages in the swizzle of 128 bytes,
// wgmma multiplies out of them. c (m by n, f32) = a (m by k, f16) · b (n by k, f16), transposed.
#include <cuda.h>

#include <cstdint>

constexpr int kTile = 64, kStages = 3;
constexpr std::uint32_t kTileBytes = kTile * kTile * 2;

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

__device__ void start_barrier(std::uint32_t barrier, std::uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ void expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

__device__ void load_tile(std::uint32_t to, const CUtensorMap& map, std::uint32_t barrier, int x,
                          int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y)
      : "memory");
}

// A matrix in shared memory as wgmma takes it: rows of 128 bytes in the swizzle of 128 bytes,
// groups of 8 rows 1024 bytes apart.
__device__ std::uint64_t descriptor(std::uint32_t address) {
  return (address & 0x3ffff) >> 4 | std::uint64_t{1} << 16 | std::uint64_t{1024 >> 4} << 32 |
         std::uint64_t{1} << 62;
}

// d (+)= a b for 64 rows, 64 columns and 16 of what is summed over.
__device__ void multiply(float (&d)[32], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, p, 1, 1, 0, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(add));
}

__device__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Where a thread of a warpgroup has element i of its 64 by 64 result.
__device__ int row_of(int i) {
  return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
}
__device__ int column_of(int i) {
  return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
}

__global__ void gemm_pipeline(const __grid_constant__ CUtensorMap a,
                              const __grid_constant__ CUtensorMap b, float* c, int m, int n,
                              int k) {
  extern __shared__ unsigned char dynamic[];
  __shared__ alignas(8) std::uint64_t barriers[kStages];
  const std::uint32_t stages = (shared_address(dynamic) + 1023) / 1024 * 1024;
  const std::uint32_t full = shared_address(barriers);
  const int tiles = (k + kTile - 1) / kTile;
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const auto fetch = [&](int tile) {
    const std::uint32_t to = stages + tile % kStages * 2 * kTileBytes;
    const std::uint32_t barrier = full + 8 * (tile % kStages);
    expect(barrier, 2 * kTileBytes);
    load_tile(to, a, barrier, tile * kTile, row);
    load_tile(to + kTileBytes, b, barrier, tile * kTile, column);
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) start_barrier(full + 8 * s, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int tile = 0; tile < min(kStages, tiles); ++tile) fetch(tile);
  }
  float d[32];
  for (float& value : d) value = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const std::uint32_t at = stages + tile % kStages * 2 * kTileBytes;
    wait(full + 8 * (tile % kStages), tile / kStages % 2);
    begin_products();
    for (int step = 0; step < kTile / 16; ++step) {
      multiply(d, descriptor(at + 32 * step), descriptor(at + kTileBytes + 32 * step), 1);
    }
    end_products();
    __syncthreads();
    if (threadIdx.x == 0 && tile + kStages < tiles) fetch(tile + kStages);
  }
  for (int i = 0; i < 32; ++i) {
    const int r = row + row_of(i), s = column + column_of(i);
    if (r < m && s < n) c[r * n + s] = d[i];
  }
}
