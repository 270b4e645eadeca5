// Where instructions and constants come from: loops of straight-line code, and indexed constants,
// in sizes that outgrow one cache after the other.
#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

constexpr unsigned kBlockOfCode = 64;  // instructions of one asm statement
constexpr std::uint32_t kInstructions[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
constexpr std::uint32_t kFetchWarpCounts[] = {1, 4, 16};
constexpr std::uint32_t kFewFetchRounds = 2, kManyFetchRounds = 6;

// FFMA, of which a scheduler issues one a cycle, over eight registers.
std::string fetch_source() {
  std::string text;
  for (unsigned i = 0; i < kBlockOfCode; ++i) {
    text += fmt::format("fma.rn.f32 %{0}, %{0}, %8, %8;", i % 8);
  }
  std::string source = kPrelude + fmt::format(R"(
#define BLOCK asm volatile("{}" : "+f"(a[0]), "+f"(a[1]), "+f"(a[2]), "+f"(a[3]), "+f"(a[4]), \
                           "+f"(a[5]), "+f"(a[6]), "+f"(a[7]) : "f"(b));
#define R1(...) __VA_ARGS__
#define KERNEL(name, repeat)                                               \
  extern "C" __global__ void name(u32* out, u32 rounds, float b) {{         \
    float a[8];                                                            \
    b += threadIdx.x;                                                      \
    for (int k = 0; k < 8; ++k) a[k] = threadIdx.x + k;                    \
    TIMED(out, _Pragma("unroll 1") for (u32 i = 0; i < rounds; ++i) {{ repeat(BLOCK) }}) \
    float sum = 0;                                                         \
    for (int k = 0; k < 8; ++k) sum += a[k];                               \
    KEEP(out, __float_as_uint(sum))                                        \
  }}
)",
                                              text);
  for (const std::uint32_t n : kInstructions) {
    source += fmt::format("KERNEL(code{}, R{})\n", n, n / kBlockOfCode);
  }
  return source;
}

std::string fetch_label(std::uint32_t n, std::uint32_t warps, std::uint32_t rounds) {
  return fmt::format("{} KB, {} warps, {} rounds", n * 16 / 1024, warps, rounds);
}

// A level ends where a loop of twice the size costs a quarter more. The loop of one warp: what
// several warps fetch together says less of one line's way.
std::vector<Settled> levels(const Readings& r, const machine::Machine& machine) {
  constexpr double kStep = 1.25;
  const auto cost = [&](std::uint32_t n) {
    return slope(r.at(fetch_label(n, 1, kFewFetchRounds)),
                 r.at(fetch_label(n, 1, kManyFetchRounds)),
                 (kManyFetchRounds - kFewFetchRounds) * n);
  };
  const double line = machine.fetch.line / 16;  // instructions
  std::vector<double> sizes;
  std::vector<Slope> plateaus{cost(kInstructions[0])};
  for (std::size_t i = 1; i < std::size(kInstructions); ++i) {
    const Slope now = cost(kInstructions[i]);
    if (now.value < kStep * plateaus.back().value) continue;
    sizes.push_back(16.0 * kInstructions[i - 1]);
    plateaus.push_back(now);
  }
  if (sizes.size() < 2) return {};
  return {{"fetch.l0", sizes[0], 0},
          {"fetch.l1", sizes[1], 0},
          {"fetch.l1_gap", plateaus[1].value * line, plateaus[1].spread},
          {"fetch.l2_gap", plateaus[2].value * line, plateaus[2].spread}};
}

Microbenchmark fetch() {
  Microbenchmark micro;
  micro.name = "fetch";
  micro.what = "loops of 1 to 256 KB of FFMA, in 1 to 16 warps of an SM";
  micro.entries = {"fetch.l0", "fetch.l1", "fetch.l1_gap", "fetch.l2_gap"};
  micro.source = fetch_source();
  for (const std::uint32_t n : kInstructions) {
    const std::string kernel = fmt::format("code{}", n);
    micro.code.push_back({kernel, "FFMA", n, kLoopCode});
    for (const std::uint32_t warps : kFetchWarpCounts) {
      for (const std::uint32_t rounds : {kFewFetchRounds, kManyFetchRounds}) {
        micro.launches.push_back(clocked(fetch_label(n, warps, rounds), kernel, 1, warps * 32,
                                         {u32(rounds), "f32:0.5"}));
      }
    }
  }
  micro.settle = levels;
  return micro;
}

// The index of each load needs the value of the one before, which is 0; the place it adds to goes
// round in `size` bytes, a line at a time, and is known early.
const char* const kConstantSource = R"(
__constant__ u32 table[16384];
extern "C" __global__ void constants(u32* out, u32 step, u32 mask) {
  u32 value = (mask & 1) * threadIdx.x;
  u32 place = 0;
  TIMED(out, _Pragma("unroll 1") for (u32 i = 0; i < 16; ++i) {
    R16({
      const u32 at = (place & mask) + value;
      asm volatile("{ .reg .u64 at, base; cvt.u64.u32 at, %1; mov.u64 base, table;"
                   "add.u64 at, at, base; ld.const.u32 %0, [at]; }" : "=r"(value) : "r"(at));
      place += step;
    })
  })
  KEEP(out, value)
}
)";

Microbenchmark constants() {
  Microbenchmark micro;
  micro.name = "constants";
  micro.what = "pointer chase in 512 bytes to 64 KB of constant memory";
  micro.entries = {"constant.size", "constant.miss_latency"};
  micro.source = kPrelude + kConstantSource;
  std::vector<std::string> around = kLoopCode;
  around.insert(around.end(), {"LOP3", "LEA", "HFMA2", "UMOV", "ULOP3"});
  micro.code = {{"constants", "LDC", 16, around}};
  for (std::uint32_t bytes = 512; bytes <= 65536; bytes *= 2) {
    // Multiples of 4 below the size, so that bit 0, of which the first value is made, is none.
    micro.launches.push_back(clocked(fmt::format("{} bytes", bytes), "constants", 1, 32,
                                     {u32(64), u32((bytes - 1) & ~3u)}));
  }
  micro.settle = [](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    const Reading &hit = r.at("512 bytes"), &miss = r.at("16384 bytes");
    double size = 512;
    for (std::uint32_t bytes = 512; bytes <= 65536; bytes *= 2) {
      if (r.at(fmt::format("{} bytes", bytes)).median() > 1.25 * hit.median()) break;
      size = bytes;
    }
    return {{"constant.size", size, 0},
            {"constant.miss_latency", (miss.median() - hit.median()) / 256, miss.spread()}};
  };
  return micro;
}

}  // namespace

std::vector<Microbenchmark> fetch_benchmarks(const GpuShape&) {
  return {fetch(), constants()};
}

}  // namespace burin::gpu
