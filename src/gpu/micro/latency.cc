// How long a load takes whose address is the result of the one before: in L1, L2 and DRAM, and in
// sets that grow past the L2 cache.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

// Each block makes a chain through lines of its own, in an order that no prefetcher follows (a
// linear congruence of full period), and thread 0 walks it. All SMs walk at once, so that near and
// far parts of the L2 cache are met alike; one load each is no load to speak of. `flush` bytes of
// other memory, read by each block in between, leave nothing of the chains in the caches.
const char* const kChaseSource = R"(
__device__ u64 pool[96 << 20];
template <typename Load>
__device__ __forceinline__ void walk(u32* out, u32 lines, u32 rounds, u64 flush, Load load) {
  char* const mine = (char*)pool + (u64)blockIdx.x * lines * 128;
  for (u32 i = threadIdx.x; i < lines; i += blockDim.x) {
    *(u64*)(mine + (u64)i * 128) = (u64)(mine + (u64)((i * 1664525u + 1013904223u) & (lines - 1)) * 128);
  }
  __threadfence();
  __syncthreads();
  const char* const other = (const char*)pool + (256 << 20) + blockIdx.x * flush;
  u32 sum = 0;
  for (u64 i = threadIdx.x * 128; i < flush; i += blockDim.x * 128) {
    sum ^= __ldcg((const u32*)(other + i));
  }
  KEEP(out, sum)
  __syncthreads();
  if (threadIdx.x != 0) return;
  u64 at = (u64)mine;
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 start = clock_now();
#pragma unroll 1
    for (u32 round = 0; round < rounds; ++round) {
      R64(load(at);)
    }
    const u32 end = clock_now();
    out[(pass * gridDim.x + blockIdx.x) * 2] = start;
    out[(pass * gridDim.x + blockIdx.x) * 2 + 1] = end;
  }
  KEEP(out, (u32)at)
}
extern "C" __global__ void chase_l1(u32* out, u32 lines, u32 rounds, u64 flush) {
  walk(out, lines, rounds, flush,
       [](u64& at) { asm volatile("ld.global.u64 %0, [%0];" : "+l"(at) : : "memory"); });
}
extern "C" __global__ void chase_l2(u32* out, u32 lines, u32 rounds, u64 flush) {
  walk(out, lines, rounds, flush,
       [](u64& at) { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory"); });
}
)";

constexpr std::uint32_t kChaseThreads = 256;
constexpr std::uint32_t kRound = 64;  // loads

// The clocks of thread 0 of each block: one "warp" a block.
MicroLaunch chase(const std::string& label, const char* kernel, std::uint32_t blocks,
                  std::uint32_t lines, std::uint32_t rounds, std::uint64_t flush) {
  MicroLaunch launch =
      clocked(label, kernel, blocks, kChaseThreads, {u32(lines), u32(rounds), u64(flush)});
  launch.output = MicroOutput::kMean;
  launch.warps = blocks;
  return launch;
}

// Blocks and lines a block of sets from 8 to 126 MB.
struct Set {
  std::uint32_t blocks, lines;
};
constexpr Set kSets[] = {{64, 1024},  {128, 1024}, {96, 2048},  {128, 2048}, {80, 4096},
                         {88, 4096},  {96, 4096},  {104, 4096}, {112, 4096}, {120, 4096},
                         {128, 4096}, {80, 8192},  {96, 8192},  {112, 8192}, {128, 8192}};

std::string label_of(const Set& set) {
  return fmt::format("set {:.0f} MB", set.blocks * (set.lines * 128.0) / 1e6);
}

// The set of which half the loads miss, between the two nearest that were measured. A walk in a
// circle misses everywhere as soon as the set is larger than the cache, so this is sharp.
Settled size_of_l2(const Readings& r, double hit, double miss) {
  double size_before = 0, share_before = 0;
  for (const Set& set : kSets) {
    const auto found = r.find(label_of(set));
    if (found == r.end()) continue;
    const double size = set.blocks * (set.lines * 128.0);
    const double share = (found->second.median() / set.lines - hit) / (miss - hit);
    if (share >= 0.5) {
      const double part = (0.5 - share_before) / (share - share_before);
      // In whole lines.
      const double at = std::floor((size_before + part * (size - size_before)) / 128) * 128;
      return {"l2.size", at, (size - size_before) / 2 / at};
    }
    size_before = size;
    share_before = share;
  }
  return {"l2.size", 0, 0};  // no set was large enough: refused as absurd
}

}  // namespace

std::vector<Microbenchmark> latency_benchmarks(const GpuShape& gpu) {
  Microbenchmark micro;
  micro.name = "chase";
  micro.what = "pointer chase";
  micro.entries = {"l1.latency", "l2.latency", "dram.latency", "l2.size"};
  micro.source = kPrelude + kChaseSource;
  micro.code = {{"chase_l1", "LDG", kRound, kLoopCode}, {"chase_l2", "LDG", kRound, kLoopCode}};
  constexpr std::uint32_t kL1Rounds = 8, kL2Rounds = 16, kDramRounds = 8;
  const std::uint32_t blocks = std::min(gpu.sms, 132u);
  micro.launches.push_back(chase("l1", "chase_l1", 1, 64, kL1Rounds, 0));
  micro.launches.push_back(chase("l2", "chase_l2", blocks, 1024, kL2Rounds, 0));
  micro.launches.push_back(chase("dram", "chase_l2", blocks, 8192, kDramRounds, 2 << 20));
  for (const Set& set : kSets) {
    if (set.blocks > gpu.sms) continue;
    micro.launches.push_back(
        chase(label_of(set), "chase_l2", set.blocks, set.lines, set.lines / kRound, 0));
  }
  micro.settle = [](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    const auto per_load = [&](const char* entry, const char* label, double rounds) {
      const Reading& reading = r.at(label);
      return Settled{entry, reading.median() / (rounds * kRound), reading.spread()};
    };
    std::vector<Settled> settled = {per_load("l1.latency", "l1", kL1Rounds),
                                    per_load("l2.latency", "l2", kL2Rounds),
                                    per_load("dram.latency", "dram", kDramRounds)};
    settled.push_back(size_of_l2(r, settled[1].value, settled[2].value));
    return settled;
  };
  return {micro};
}

}  // namespace burin::gpu
