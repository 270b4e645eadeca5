// What one SM's path to memory carries: L1 hits by shape of the access, lines from L2 and DRAM, and
// stores.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

constexpr double kSectorBytes = 32;
constexpr std::uint32_t kHitWarpCounts[] = {1, 2, 4, 8, 16, 32};

// Each warp of a block takes 4 KB, eight loads or stores of 16 bytes a lane at once, then the next
// 4 KB that no other warp takes, and begins again after `bytes`; each pass starts `stride` bytes
// further on.
const char* const kPathSource = R"(
__device__ uint4 pool[512 << 16];
#define EACH8(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7)
#define LOAD(k)                                                                  \
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4+" #k "*512];"              \
               : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(at));
#define FOLD(k) sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
#define WALK(...)                                                                          \
  const char* const begin = (const char*)pool + pass * stride;                             \
  u32 where = threadIdx.x / 32 * 4096 + threadIdx.x % 32 * 16;                             \
  _Pragma("unroll 1") for (u32 i = 0; i < rounds; ++i) {                                   \
    const char* const at = begin + where;                                                  \
    __VA_ARGS__                                                                            \
    where += blockDim.x * 128;                                                             \
    if (where >= bytes) where -= bytes;                                                    \
  }
extern "C" __global__ void __launch_bounds__(1024, 1) fill(u32* out, u32 bytes, u32 rounds, u64 stride) {
  u32 sum = 0;
  TIMED(out, {
    uint4 v[8];
    WALK(EACH8(LOAD) EACH8(FOLD))
  })
  KEEP(out, sum)
}
#define STORE(k) asm volatile("st.global.v4.u32 [%0+" #k "*512], {%1, %1, %1, %1};" : : "l"(at), "r"(i) : "memory");
extern "C" __global__ void drain(u32* out, u32 bytes, u32 rounds, u64 stride) {
  TIMED(out, { WALK(EACH8(STORE)) })
}
)";

Microbenchmark path() {
  Microbenchmark micro;
  micro.name = "sm_path";
  micro.what = "one SM reads from L2 or DRAM, or writes";
  micro.entries = {"l1.fill", "l1.drain", "l1.misses"};
  micro.source = kPrelude + kPathSource;
  // Each launch moves 2 or 4 MB a pass, whatever its warps: more than L1 holds and less than L2.
  // From DRAM nothing is read twice.
  constexpr std::uint32_t kMoved = 2 << 20;
  for (const std::uint32_t warps : kHitWarpCounts) {
    const auto add = [&](const char* label, const char* kernel, std::uint32_t moved,
                         std::uint64_t stride) {
      micro.launches.push_back(clocked(fmt::format("{} {}", label, warps), kernel, 1, warps * 32,
                                       {u32(8 << 20), u32(moved / (warps * 4096)), u64(stride)}));
    };
    for (const char* const word : {"few", "many"}) {
      const std::uint32_t moved = word == std::string_view("few") ? kMoved : 2 * kMoved;
      add(fmt::format("l2 {}", word).c_str(), "fill", moved, 0);
      add(fmt::format("dram {}", word).c_str(), "fill", moved, 8 << 20);
      add(fmt::format("drain {}", word).c_str(), "drain", moved, 0);
    }
  }
  micro.settle = [](const Readings& r, const machine::Machine& machine) -> std::vector<Settled> {
    // The best over the numbers of warps, in bytes per cycle.
    const auto best = [&](const char* what) {
      Settled most;
      for (const std::uint32_t warps : kHitWarpCounts) {
        const Slope cost = slope(r.at(fmt::format("{} few {}", what, warps)),
                                 r.at(fmt::format("{} many {}", what, warps)), kMoved);
        if (1 / cost.value > most.value) most = {"", 1 / cost.value, cost.spread};
      }
      return most;
    };
    Settled fill = best("l2"), drain = best("drain"), misses = best("dram");
    fill.entry = "l1.fill";
    drain.entry = "l1.drain";
    misses.entry = "l1.misses";
    misses.value *= machine.dram.latency / kSectorBytes;  // what is on its way at any time
    return {fill, drain, misses};
  };
  return micro;
}

// Loads of a warp that all hit: lane i reads word i of `lines` lines, or words `stride` apart.
// Eight places in turn, moved by a zero that the compiler does not know, or it would load each
// once.
const char* const kHitSource = R"(
__device__ uint4 pool[4096];
#define ONE(k) asm volatile("ld.global.u32 %0, [%1+" #k "*4096];" : "=r"(v##k) : "l"(at));
#define WIDE(k)                                                     \
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4+" #k "*4096];" \
               : "=r"(v##k), "=r"(w##k), "=r"(x##k), "=r"(y##k) : "l"(at));
#define EIGHT(load) load(0) load(1) load(2) load(3) load(4) load(5) load(6) load(7)
#define FOLD(k) sum ^= v##k;
#define FOLD4(k) sum ^= v##k ^ w##k; sum ^= x##k ^ y##k;
#define HIT(name, load, fold)                                                      \
  extern "C" __global__ void name(u32* out, u32 lines, u32 stride, u64 zero, u32 rounds) { \
    const u32 lane = threadIdx.x % 32;                                             \
    u64 at = (u64)pool + (lane * lines / 32) * 128 + lane * stride;                \
    u32 v0, v1, v2, v3, v4, v5, v6, v7, w0, w1, w2, w3, w4, w5, w6, w7, sum = 0;   \
    u32 x0, x1, x2, x3, x4, x5, x6, x7, y0, y1, y2, y3, y4, y5, y6, y7;            \
    TIMED(out, _Pragma("unroll 1") for (u32 i = 0; i < rounds; ++i) {              \
      R4(EIGHT(load) EIGHT(fold) at += zero;) })                                   \
    KEEP(out, sum)                                                                 \
  }
HIT(hit32, ONE, FOLD)
HIT(hit128, WIDE, FOLD4)
)";

constexpr std::uint32_t kHits = 32;  // loads of the loop
constexpr std::uint32_t kFewHitRounds = 8, kManyHitRounds = 24;
constexpr std::uint32_t kHitWarps = 16;

Microbenchmark hits() {
  Microbenchmark micro;
  micro.name = "l1_hits";
  micro.what = "16 warps of an SM load from L1, with 1 to 32 lines per request";
  micro.entries = {"l1.bandwidth", "l1.tags", "lsu.gap"};
  micro.source = kPrelude + kHitSource;
  std::vector<std::string> around = kLoopCode;
  around.insert(around.end(), {"LOP3", "S2R"});
  micro.code = {{"hit32", "LDG", kHits, around}, {"hit128", "LDG.E.128", kHits, around}};
  const auto add = [&](const std::string& label, const char* kernel, std::uint32_t lines,
                       std::uint32_t stride) {
    for (const std::uint32_t rounds : {kFewHitRounds, kManyHitRounds}) {
      micro.launches.push_back(clocked(label + (rounds == kFewHitRounds ? ", few" : ", many"),
                                       kernel, 1, kHitWarps * 32,
                                       {u32(lines), u32(stride), u64(0), u32(rounds)}));
    }
  };
  for (std::uint32_t n = 1; n <= 32; n *= 2) {
    add(fmt::format("lines {}", n), "hit32", n, 4);
    add(fmt::format("stride {}", n), "hit32", 1, 4 * n);
  }
  add("one word", "hit32", 1, 0);
  add("wide", "hit128", 1, 16);
  add("wide, one", "hit128", 1, 0);
  micro.settle = [](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    const auto each = [&](const std::string& label) {
      return slope(r.at(label + ", few"), r.at(label + ", many"),
                   (kManyHitRounds - kFewHitRounds) * kHits * kHitWarps);
    };
    const Slope word = each("one word"), wide = each("wide");
    const Slope half = each("lines 16"), all = each("lines 32");
    // A request of n lines takes the tag stage n / tags cycles, where that is the slower one.
    return {{"lsu.gap", word.value, word.spread},
            {"l1.bandwidth", 512 / wide.value, wide.spread},
            {"l1.tags", 16 / (all.value - half.value), std::hypot(all.spread, half.spread)}};
  };
  return micro;
}

}  // namespace

std::vector<Microbenchmark> sm_memory_benchmarks(const GpuShape&) {
  return {path(), hits()};
}

}  // namespace burin::gpu
