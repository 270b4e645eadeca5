// Products of a warpgroup (Hopper's wgmma), of several widths.
#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

constexpr std::uint32_t kWidths[] = {8, 64, 128, 256};
constexpr std::uint32_t kProducts = 16;  // of one round
constexpr std::uint32_t kFewWgmmaRounds = 4, kManyWgmmaRounds = 12;

// Both operands lie in shared memory, rows of 8 elements side by side, without a swizzle: what the
// products are does not matter, that every address is inside does.
std::string source() {
  std::string text = kPrelude + R"(
__device__ __forceinline__ u64 describe(const void* at) {
  return ((u64)__cvta_generic_to_shared(at) >> 4 & 0x3fff) | (u64)(128 >> 4) << 16 | (u64)(256 >> 4) << 32;
}
#define FENCE asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
#define WAIT asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
)";
  for (const std::uint32_t n : kWidths) {
    std::string registers, operands;
    for (std::uint32_t i = 0; i < n / 2; ++i) {
      registers += fmt::format("{}%{}", i == 0 ? "" : ", ", i);
      operands += fmt::format("{}\"+f\"(d[{}])", i == 0 ? "" : ", ", i);
    }
    text += fmt::format(R"(
extern "C" __global__ void __launch_bounds__(128) wgmma{0}(u32* out, u32 rounds, u32 waits) {{
  __shared__ alignas(128) uint4 a[128], b[512];
  for (u32 i = threadIdx.x; i < 512; i += 128) b[i] = make_uint4(0, 0, 0, 0);
  a[threadIdx.x] = make_uint4(0, 0, 0, 0);
  asm volatile("fence.proxy.async;" : : : "memory");
  const u64 left = describe(a), right = describe(b);
  float d[{1}];
  for (int i = 0; i < {1}; ++i) d[i] = threadIdx.x;
#define PRODUCT                                                                          \
  asm volatile("wgmma.mma_async.sync.aligned.m64n{0}k16.f32.f16.f16 {{{2}}}, %{1}, %{3}, 1, 1, 1, 0, 0;" \
               : {4} : "l"(left), "l"(right));
  TIMED(out, _Pragma("unroll 1") for (u32 i = 0; i < rounds; ++i) {{
    FENCE R16(PRODUCT) COMMIT WAIT
  }})
#undef PRODUCT
  float sum = 0;
  for (int i = 0; i < {1}; ++i) sum += d[i];
  KEEP(out, __float_as_uint(sum))
}}
)",
                        n, n / 2, registers, n / 2 + 1, operands);
  }
  return text;
}

}  // namespace

std::vector<Microbenchmark> wgmma_benchmarks(const GpuShape&) {
  Microbenchmark micro;
  micro.name = "wgmma";
  micro.what = "rounds of 16 warpgroup MMAs of 64 rows and 8 to 256 columns";
  micro.entries = {"class.wgmma.gap", "class.wgmma.latency"};
  micro.chip_only = true;
  micro.oldest_sm = micro.newest_sm = 90;
  micro.source = source();
  const auto label = [](std::uint32_t n, std::uint32_t rounds) {
    return fmt::format("{} columns, {} rounds", n, rounds);
  };
  std::vector<std::string> around = kLoopCode;
  around.insert(around.end(), {"WARPGROUP", "WARPSYNC", "R2UR", "UMOV", "ULOP3", "USHF", "ULEA",
                               "S2UR", "S2R", "LOP3", "SHF", "USEL"});
  for (const std::uint32_t n : kWidths) {
    micro.code.push_back({fmt::format("wgmma{}", n), "HGMMA", kProducts, around});
    for (const std::uint32_t rounds : {kFewWgmmaRounds, kManyWgmmaRounds}) {
      micro.launches.push_back(
          clocked(label(n, rounds), fmt::format("wgmma{}", n), 1, 128, {u32(rounds), u32(0)}));
    }
  }
  micro.settle = [label](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    const auto round = [&](std::uint32_t n) {
      return slope(r.at(label(n, kFewWgmmaRounds)), r.at(label(n, kManyWgmmaRounds)),
                   kManyWgmmaRounds - kFewWgmmaRounds);
    };
    // What 128 columns more cost, in steps of 8; what a round would take without any is the latency
    // of its end.
    const Slope wide = round(256), half = round(128);
    const double gap = (wide.value - half.value) / kProducts / 16;
    return {{"class.wgmma.gap", gap, wide.spread},
            {"class.wgmma.latency", 2 * half.value - wide.value, half.spread}};
  };
  return {micro};
}

}  // namespace burin::gpu
