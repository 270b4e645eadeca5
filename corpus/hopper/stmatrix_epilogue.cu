// Exercises the way out: wgmma's result is rounded to f16, laid out by stmatrix in shared memory
// and stored by TMA. c (m by n, f16) = a (m by k, f16) · b (n by k, f16), transposed.
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>

constexpr int kTile = 64;
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

__device__ std::uint32_t pack(float low, float high) {
  const __half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&both);
}

__global__ void stmatrix_epilogue(const __grid_constant__ CUtensorMap a,
                                  const __grid_constant__ CUtensorMap b,
                                  const __grid_constant__ CUtensorMap c, int k) {
  __shared__ alignas(1024) unsigned char tiles[2 * kTileBytes];
  __shared__ alignas(8) std::uint64_t barrier_word;
  const std::uint32_t at = shared_address(tiles), barrier = shared_address(&barrier_word);
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  if (threadIdx.x == 0) {
    start_barrier(barrier, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  float d[32];
  for (float& value : d) value = 0;
  for (int first = 0, parity = 0; first < k; first += kTile, parity ^= 1) {
    if (threadIdx.x == 0) {
      expect(barrier, 2 * kTileBytes);
      load_tile(at, a, barrier, first, row);
      load_tile(at + kTileBytes, b, barrier, first, column);
    }
    wait(barrier, parity);
    begin_products();
    for (int step = 0; step < kTile / 16; ++step) {
      multiply(d, descriptor(at + 32 * step), descriptor(at + kTileBytes + 32 * step), 1);
    }
    end_products();
    __syncthreads();
  }
  // Every lane names a row of 16 bytes: lanes 0-7 of the first matrix, 8-15 of the one below, 16-31
  // of those beside. The tile is in the swizzle that the tensor map of c names: 16 bytes are moved
  // by the row within each group of 8.
  const int lane = threadIdx.x % 32;
  const int my_row = threadIdx.x / 32 * 16 + lane % 16;
  for (int part = 0; part < 4; ++part) {
    const int chunk = (2 * part + lane / 16) ^ (my_row % 8);
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at + my_row * 128 +
                                                                                 chunk * 16),
        "r"(pack(d[8 * part], d[8 * part + 1])), "r"(pack(d[8 * part + 2], d[8 * part + 3])),
        "r"(pack(d[8 * part + 4], d[8 * part + 5])), "r"(pack(d[8 * part + 6], d[8 * part + 7]))
        : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(
            &c),
        "r"(at), "r"(column), "r"(row)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
