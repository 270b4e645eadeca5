// How blocks come onto the GPU, from empty kernels and from blocks that say where and when they
// ran; and the clock, by the GPU's own timer.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

const char* const kEmptySource = R"(
extern "C" __global__ void empty() {}
)";

constexpr std::uint32_t kThreadCounts[] = {32, 128, 256, 512, 1024};
constexpr std::uint32_t kFewBlocks = 100'000, kManyBlocks = 1'000'000;

std::string empty_label(std::uint32_t blocks, std::uint32_t threads) {
  return fmt::format("{} blocks of {}", blocks, threads);
}

Microbenchmark empty(const GpuShape&) {
  Microbenchmark micro;
  micro.name = "empty";
  micro.what = "empty kernels of 1 to a million blocks";
  micro.entries = {"dispatch.launch", "dispatch.block_gap"};
  micro.source = kPrelude + kEmptySource;
  for (const std::uint32_t threads : kThreadCounts) {
    for (const std::uint32_t blocks : {1u, 1000u, 10'000u, kFewBlocks, kManyBlocks}) {
      micro.launches.push_back(timed(empty_label(blocks, threads), "empty", blocks, threads));
    }
  }
  micro.settle = [](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    const Reading& one = r.at(empty_label(1, 32));
    const Slope small =
        slope_in_cycles(r.at(empty_label(kFewBlocks, 32)), r.at(empty_label(kManyBlocks, 32)),
                        kManyBlocks - kFewBlocks);
    return {{"dispatch.launch", one.cycles(), one.spread()},
            {"dispatch.block_gap", small.value, small.spread}};
  };
  return micro;
}

// Each warp says on which SM it ran and from when to when: 5 words. Blocks last `cycles`, so that
// those that follow find the SM as the first ones left it.
const char* const kTimelineSource = R"(
extern "C" __global__ void timeline(u32* out, u32 cycles) {
  u64 start, end;
  u32 sm;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(start) : : "memory");
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  u32* const mine = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 5;
  if (threadIdx.x % 32 == 0) {
    mine[0] = sm;
    mine[1] = (u32)start;
    mine[2] = (u32)(start >> 32);
  }
  do asm volatile("mov.u64 %0, %%clock64;" : "=l"(end) : : "memory");
  while (end - start < cycles);
  if (threadIdx.x % 32 == 0) {
    mine[3] = (u32)end;
    mine[4] = (u32)(end >> 32);
  }
}
)";

struct Span {
  double start = 0, end = 0;
};
using Blocks = std::vector<std::vector<Span>>;  // blocks of one SM by start, each with its warps

std::map<std::uint32_t, Blocks> by_sm(const Reading& reading, std::size_t warps) {
  std::map<std::uint32_t, Blocks> sms;
  const std::vector<std::uint32_t>& w = reading.words;
  for (std::size_t i = 0; i + 5 * warps <= w.size(); i += 5 * warps) {
    std::vector<Span> block;
    for (std::size_t k = i; k < i + 5 * warps; k += 5) {
      block.push_back({w[k + 1] + w[k + 2] * 0x1p32, w[k + 3] + w[k + 4] * 0x1p32});
    }
    std::ranges::sort(block, {}, &Span::start);
    sms[w[i]].push_back(block);
  }
  for (auto& [sm, blocks] : sms) {
    std::ranges::sort(blocks, {}, [](const std::vector<Span>& b) { return b.front().start; });
  }
  return sms;
}

Settled settled(const char* entry, const std::vector<double>& values) {
  const measure::Sample sample = measure::summarize(values);
  return {entry, sample.median, sample.spread()};
}

constexpr std::uint32_t kLast = 20000;  // cycles of a block
constexpr std::uint32_t kRoundsOfBlocks = 8;
constexpr std::uint32_t kSmallWarps = 2, kBlocksAtOnce = 16, kLargeWarps = 32;

Microbenchmark timeline(const GpuShape& gpu) {
  Microbenchmark micro;
  micro.name = "timeline";
  micro.what = "SM, start and end time of each block";
  micro.entries = {"dispatch.latency", "dispatch.sm_gap", "dispatch.warp_gap"};
  micro.source = kPrelude + kTimelineSource;
  const auto add = [&](const char* label, std::uint32_t blocks, std::uint32_t warps,
                       std::uint64_t shared) {
    MicroLaunch launch = clocked(label, "timeline", blocks, warps * 32, {u32(kLast)});
    launch.output = MicroOutput::kWords;
    launch.words = std::uint64_t{blocks} * warps * 5;
    launch.shared_bytes = shared;
    micro.launches.push_back(launch);
  };
  // Blocks that need all of the SM's threads or shared memory come one after the other; small ones
  // together.
  add("alone", gpu.sms * kRoundsOfBlocks, 1, 90 << 10);
  add("small", gpu.sms * kBlocksAtOnce, kSmallWarps, 0);
  add("large", gpu.sms * 2, kLargeWarps, 0);
  micro.settle = [](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    std::vector<double> latency, sm_gap, warp_gap;
    for (const auto& [sm, blocks] : by_sm(r.at("alone"), 1)) {
      // Two or more of them share an SM where its shared memory has room: a successor starts when
      // the first of those before it has ended.
      std::vector<double> ends;
      for (const auto& block : blocks) ends.push_back(block.front().end);
      std::ranges::sort(ends);
      std::size_t free = 0;
      const double first_end = ends.front();
      for (const auto& block : blocks) {
        const double start = block.front().start;
        if (start <= first_end) continue;
        if (free < ends.size() && start >= ends[free]) latency.push_back(start - ends[free++]);
      }
    }
    // All small blocks of an SM are there at once, so that their starts are one burst.
    for (const auto& [sm, blocks] : by_sm(r.at("small"), kSmallWarps)) {
      if (blocks.size() < 2) continue;
      const double burst = blocks.back().front().start - blocks.front().front().start;
      if (burst < kLast) sm_gap.push_back(burst / static_cast<double>(blocks.size() - 1));
    }
    // The first block alone: warps that already run delay those of the second.
    for (const auto& [sm, blocks] : by_sm(r.at("large"), kLargeWarps)) {
      const std::vector<Span>& first = blocks.front();
      warp_gap.push_back((first.back().start - first.front().start) / (kLargeWarps - 1));
    }
    return {settled("dispatch.latency", latency), settled("dispatch.sm_gap", sm_gap),
            settled("dispatch.warp_gap", warp_gap)};
  };
  return micro;
}

// Cycles over nanoseconds, while all SMs multiply or all of them read.
const char* const kClockSource = R"(
#define BEGIN                                                                  \
  u64 c0, c1, t0, t1;                                                          \
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0) : : "memory");          \
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c0) : : "memory");
#define END                                                                    \
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1) : : "memory");          \
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c1) : : "memory");              \
  if (threadIdx.x == 0) {                                                      \
    out[blockIdx.x * 2] = (u32)(c1 - c0);                                      \
    out[blockIdx.x * 2 + 1] = (u32)(t1 - t0);                                  \
  }
extern "C" __global__ void multiply(u32* out, u32 rounds, float b) {
  float x0 = threadIdx.x, x1 = b, x2 = 2, x3 = 3;
  BEGIN
#pragma unroll 1
  for (u32 i = 0; i < rounds; ++i) {
    R64(asm volatile("fma.rn.f32 %0, %0, %4, %4; fma.rn.f32 %1, %1, %4, %4;"
                     "fma.rn.f32 %2, %2, %4, %4; fma.rn.f32 %3, %3, %4, %4;"
                     : "+f"(x0), "+f"(x1), "+f"(x2), "+f"(x3) : "f"(b));)
  }
  END
  KEEP(out, __float_as_uint(x0 + x1 + x2 + x3))
}
__device__ uint4 pool[256 << 16];
extern "C" __global__ void stream(u32* out, u32 rounds, float) {
  const u64 threads = gridDim.x * blockDim.x;
  u32 sum = 0;
  BEGIN
#pragma unroll 1
  for (u32 i = 0; i < rounds; ++i) {
    for (u64 at = blockIdx.x * blockDim.x + threadIdx.x; at < (256 << 16); at += threads) {
      const uint4 v = __ldcg(pool + at);
      sum ^= v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  END
  KEEP(out, sum)
}
)";

Microbenchmark clocks(const GpuShape& gpu) {
  Microbenchmark micro;
  micro.name = "clock";
  micro.what = "SM cycles against the GPU timer, under load";
  micro.entries = {"sm.clock_mhz"};
  micro.source = kPrelude + kClockSource;
  const auto add = [&](const char* label, const char* kernel, std::uint32_t rounds) {
    MicroLaunch launch = clocked(label, kernel, gpu.sms * 4, 256, {u32(rounds), "f32:0.999"});
    launch.output = MicroOutput::kWords;
    launch.words = gpu.sms * 8;
    micro.launches.push_back(launch);
  };
  // About 50 ms each.
  add("idle multiply", "multiply", 100);
  add("multiply", "multiply", 50'000);
  add("stream", "stream", 800);
  micro.settle = [](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    std::vector<double> all;
    for (const char* const label : {"multiply", "stream"}) {
      const std::vector<std::uint32_t>& w = r.at(label).words;
      for (std::size_t i = 0; i + 1 < w.size(); i += 2) {
        if (w[i + 1] != 0) all.push_back(1000.0 * w[i] / w[i + 1]);
      }
    }
    return {settled("sm.clock_mhz", all)};
  };
  return micro;
}

}  // namespace

std::vector<Microbenchmark> dispatch_benchmarks(const GpuShape& gpu) {
  return {clocks(gpu), empty(gpu), timeline(gpu)};
}

}  // namespace burin::gpu
