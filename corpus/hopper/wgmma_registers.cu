// Exercises wgmma with its first matrix in registers and the second in shared memory without a
// swizzle, written there by ordinary stores. c (64 by 64, f32) = a (64 by k, f16) · b (64 by k,
// f16), transposed; k is a multiple of 16; one product for each block.
#include <cstdint>

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// d (+)= a b for 64 rows, 64 columns and 16 of what is summed over.
__device__ void multiply(float (&d)[32], const std::uint32_t (&a)[4], std::uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, p, 1, 1, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
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

__global__ void wgmma_registers(const std::uint16_t* a, const std::uint16_t* b, float* c, int k) {
  // 8 by 8 halves lie together, 128 bytes; 8 such below each other, then the next 8 columns.
  __shared__ alignas(128) std::uint16_t tile[2][8][8][8];
  a += blockIdx.x * 64 * k;
  b += blockIdx.x * 64 * k;
  const std::uint64_t descriptor = (shared_address(tile) & 0x3ffff) >> 4 |
                                   std::uint64_t{1024 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
  float d[32];
  for (float& value : d) value = 0;
  for (int first = 0; first < k; first += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) {
      const int row = i / 16, column = i % 16;
      tile[column / 8][row / 8][row % 8][column % 8] = b[row * k + first + column];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    std::uint32_t fragment[4];
    for (int i = 0; i < 4; ++i) {
      const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i % 2 * 8;
      const int column = first + threadIdx.x % 4 * 2 + i / 2 * 8;
      fragment[i] = *reinterpret_cast<const std::uint32_t*>(a + row * k + column);
    }
    begin_products();
    multiply(d, fragment, descriptor, first > 0);
    end_products();
    __syncthreads();
  }
  for (int i = 0; i < 32; ++i) c[blockIdx.x * 4096 + row_of(i) * 64 + column_of(i)] = d[i];
}
