// Bytes per cycle of the whole GPU: from and to DRAM, from and to the L2 cache.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

// As many threads as the GPU holds walk over `count` vectors side by side, `loads` of them each
// (a multiple of 8), and begin again at the end: a small count stays in the L2 cache, a large one
// comes from DRAM. Past L1, which would hold part of a small one.
const char* const kStreamSource = R"(
template <typename T>
__device__ __forceinline__ u32 folded(T v) { return v.x ^ v.y ^ v.z ^ v.w; }
__device__ __forceinline__ u32 folded(u32 v) { return v; }
#define EACH8(statement) _Pragma("unroll") for (int k = 0; k < 8; ++k) { statement }
#define STEP at += threads; if (at >= count) at -= count;
#define BEGIN                                                   \
  const u64 threads = (u64)gridDim.x * blockDim.x;              \
  u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) % count;
#define READ(name, T)                                                                       \
  extern "C" __global__ void name(const T* in, u32* sink, u64 count, u32 loads) {           \
    BEGIN u32 sum = 0;                                                                      \
    for (u32 i = 0; i < loads; i += 8) {                                                    \
      T v[8];                                                                               \
      EACH8(v[k] = __ldcg(in + at); STEP)                                                   \
      EACH8(sum ^= folded(v[k]);)                                                           \
    }                                                                                       \
    KEEP(sink, sum)                                                                         \
  }
READ(read128, uint4)
READ(read32, u32)
#define WRITE(name, T, value)                                                               \
  extern "C" __global__ void name(T* to, u64 count, u32 stores) {                           \
    BEGIN for (u32 i = 0; i < stores; i += 8) { EACH8(to[at] = value; STEP) }               \
  }
WRITE(write128, uint4, make_uint4(i, i, i, 7))
WRITE(write32, u32, i | 1)
// Two vectors for each thread, one block after the other, as a memset has it.
extern "C" __global__ void fill128(uint4* to) {
  const u64 at = (u64)blockIdx.x * 2 * blockDim.x + threadIdx.x;
  to[at] = make_uint4(1, 2, 3, 4);
  to[at + blockDim.x] = make_uint4(5, 6, 7, 8);
}
extern "C" __global__ void copy128(const uint4* in, uint4* to, u64 count, u32 loads) {
  BEGIN for (u32 i = 0; i < loads; i += 8) {
    uint4 v[8];
    u64 where = at;
    EACH8(v[k] = __ldcg(in + at); STEP)
    EACH8(v[k].x |= 1; to[where] = v[k]; where += threads; if (where >= count) where -= count;)
  }
}
)";

constexpr std::uint32_t kStreamThreads = 512, kBlocksPerSm = 4;

struct Plan {
  std::uint64_t threads;  // of the GPU
  std::uint64_t batch;    // bytes that they move with 8 vectors of 16 bytes each
};

Plan plan_of(const GpuShape& gpu) {
  const std::uint64_t threads = std::uint64_t{gpu.sms} * kBlocksPerSm * kStreamThreads;
  return {threads, threads * 128};
}

std::string buffer(std::uint64_t bytes) {
  return fmt::format("buf:{}:zero", bytes);
}

Settled rate(const char* entry, const Slope& cycles_per_byte) {
  return {entry, 1 / cycles_per_byte.value, cycles_per_byte.spread};
}

Microbenchmark dram(const GpuShape& gpu) {
  const Plan plan = plan_of(gpu);
  const std::uint32_t blocks = gpu.sms * kBlocksPerSm;
  // 8 and 16 batches: 277 and 554 MB on an H200, both several times its L2 cache.
  constexpr std::uint64_t kFew = 8, kMany = 16;
  Microbenchmark micro;
  micro.name = "stream";
  micro.what = "all SMs read, write or copy DRAM";
  micro.entries = {"dram.bandwidth", "dram.write_bandwidth", "dram.turnaround"};
  micro.source = kPrelude + kStreamSource;
  for (const std::uint64_t batches : {kFew, kMany}) {
    const std::uint64_t bytes = batches * plan.batch;
    const char* const word = batches == kFew ? "few" : "many";
    const auto add = [&](const char* kernel, std::vector<std::string> buffers, std::uint64_t each,
                         std::uint64_t total) {
      buffers.push_back(u64(total / each));
      buffers.push_back(u32(total / each / plan.threads));
      micro.launches.push_back(
          timed(fmt::format("{} {}", kernel, word), kernel, blocks, kStreamThreads, buffers));
      micro.launches.back().caches = measure::Caches::kCold;
    };
    add("read128", {buffer(bytes), "buf:4:zero"}, 16, bytes);
    add("read32", {buffer(bytes), "buf:4:zero"}, 4, bytes);
    add("write128", {buffer(bytes)}, 16, bytes);
    add("write32", {buffer(bytes)}, 4, bytes);
    add("copy128", {buffer(bytes / 2), buffer(bytes / 2)}, 16, bytes / 2);
  }
  const double more = static_cast<double>((kMany - kFew) * plan.batch);
  micro.settle = [more](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    const auto per_byte = [&](const char* kernel) {
      return slope_in_cycles(r.at(fmt::format("{} few", kernel)),
                             r.at(fmt::format("{} many", kernel)), more);
    };
    const Slope read = per_byte("read128"), write = per_byte("write128"),
                copy = per_byte("copy128");
    const double unmixed = (read.value + write.value) / 2;
    return {rate("dram.bandwidth", read),
            rate("dram.write_bandwidth", write),
            {"dram.turnaround", std::max(0.0, 1 - unmixed / copy.value),
             std::hypot(copy.spread, read.spread)}};
  };
  return micro;
}

Microbenchmark l2(const GpuShape& gpu) {
  const Plan plan = plan_of(gpu);
  const std::uint32_t blocks = gpu.sms * kBlocksPerSm;
  const std::uint64_t vectors = plan.threads;  // one each: 4.3 MB on an H200
  constexpr std::uint32_t kFillThreads = 128, kFillBytes = 2 * 16 * kFillThreads;  // of a block
  // An eighth and half of the L2 cache: what is written stays there.
  const std::uint64_t few_fills = gpu.l2_bytes / 8 / kFillBytes;
  const std::uint64_t many_fills = gpu.l2_bytes / 2 / kFillBytes;
  Microbenchmark micro;
  micro.name = "l2_stream";
  micro.what = "all SMs repeatedly read or write working sets around the L2 size";
  micro.entries = {"l2.bandwidth", "l2.write_bandwidth"};
  micro.source = kPrelude + kStreamSource;
  const auto add = [&](const std::string& label, const char* kernel, std::uint64_t count,
                       std::uint32_t loads) {
    const std::vector<std::string> arguments = {buffer(count * 16), "buf:4:zero", u64(count),
                                                u32(loads)};
    micro.launches.push_back(timed(label, kernel, blocks, kStreamThreads, arguments));
  };
  constexpr std::uint32_t kFew = 64, kMany = 128;
  for (const std::uint32_t loads : {kFew, kMany}) {
    const char* const word = loads == kFew ? "few" : "many";
    for (std::uint32_t times = 2; times <= 28; times += times < 8 ? 2 : times < 16 ? 1 : 4) {
      add(fmt::format("read128 {:>2} {}", times, word), "read128", times * vectors, loads);
    }
  }
  for (const std::uint64_t fills : {few_fills, many_fills}) {
    const char* const word = fills == few_fills ? "few" : "many";
    micro.launches.push_back(timed(fmt::format("fill128 {}", word), "fill128",
                                   static_cast<std::uint32_t>(fills), kFillThreads,
                                   {buffer(fills * kFillBytes)}));
  }
  const double more = static_cast<double>(kMany - kFew) * static_cast<double>(plan.threads) * 16;
  const double filled = static_cast<double>((many_fills - few_fills) * kFillBytes);
  micro.settle = [more, filled](const Readings& r,
                                const machine::Machine&) -> std::vector<Settled> {
    const auto per_byte = [&](const std::string& label, double bytes) {
      return slope_in_cycles(r.at(label + " few"), r.at(label + " many"), bytes);
    };
    // The best of the sets up to half of what the driver calls the cache's size.
    Slope best;
    for (const std::uint32_t times : {2, 4, 6}) {
      const Slope one = per_byte(fmt::format("read128 {:>2}", times), more);
      if (best.value == 0 || one.value < best.value) best = one;
    }
    return {rate("l2.bandwidth", best), rate("l2.write_bandwidth", per_byte("fill128", filled))};
  };
  return micro;
}

}  // namespace

std::vector<Microbenchmark> bandwidth_benchmarks(const GpuShape& gpu) {
  return {dram(gpu), l2(gpu)};
}

}  // namespace burin::gpu
