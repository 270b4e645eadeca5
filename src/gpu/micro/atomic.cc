// Atomics in the L2 cache: one address, many addresses, and with the result used.
#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

// Addresses differ by lane as far as the compiler sees: where they do not, it lets one lane add for
// all.
const char* const kAtomicSource = R"(
extern "C" __global__ void same(u32* to, u32 lanes, u32 count, u32 zero) {
  if (threadIdx.x % 32 >= lanes) return;
  to += threadIdx.x * zero;
#pragma unroll 1
  for (u32 i = 0; i < count; i += 8) {
    R8(asm volatile("red.global.add.u32 [%0], %1;" : : "l"(to), "r"(i) : "memory");)
  }
}
extern "C" __global__ void apart(u32* to, u32 words, u32 count) {
  u32 at = (blockIdx.x * blockDim.x + threadIdx.x) % words;
#pragma unroll 1
  for (u32 i = 0; i < count; i += 8) {
    R8(asm volatile("red.global.add.u32 [%0], %1;" : : "l"(to + at), "r"(i) : "memory");
       at += gridDim.x * blockDim.x; if (at >= words) at -= words;)
  }
}
// All words of a sector; two of them by compare-and-swap; one by all, of floats.
extern "C" __global__ void sector(u32* to, u32 count) {
  if (threadIdx.x % 32 >= 8) return;
  to += threadIdx.x % 32;
#pragma unroll 1
  for (u32 i = 0; i < count; i += 8) {
    R8(asm volatile("red.global.add.u32 [%0], %1;" : : "l"(to), "r"(i) : "memory");)
  }
}
extern "C" __global__ void swaps(u32* to, u32 count) {
  if (threadIdx.x % 32 >= 2) return;
  to += threadIdx.x % 32;
  u32 seen;
#pragma unroll 1
  for (u32 i = 0; i < count; i += 8) {
    R8(asm volatile("atom.global.cas.b32 %0, [%1], %2, %2;" : "=r"(seen) : "l"(to), "r"(i) : "memory");)
  }
}
extern "C" __global__ void reals(float* to, u32 count) {
  if (threadIdx.x % 32 != 0) return;
#pragma unroll 1
  for (u32 i = 0; i < count; i += 8) {
    R8(asm volatile("red.global.add.f32 [%0], %1;" : : "l"(to), "f"(1.0f) : "memory");)
  }
}
__device__ u32 pool[1 << 16];
extern "C" __global__ void chain(u32* out) {
  u32 value = 0;
  u32* const at = pool + blockIdx.x * 64 + threadIdx.x;
  TIMED(out, R128(asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(value) : "l"(at) : "memory");))
  KEEP(out, value)
}
)";

}  // namespace

std::vector<Microbenchmark> atomic_benchmarks(const GpuShape& gpu) {
  Microbenchmark latency;
  latency.name = "atomic_chain";
  latency.what = "a chain of dependent atomics of one warp";
  latency.entries = {"l2.atomic_latency"};
  latency.source = kPrelude + kAtomicSource;
  latency.code = {{"chain", "ATOMG", 128}};
  latency.launches = {clocked("one lane a warp", "chain", gpu.sms, 32)};
  latency.settle = [](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    const Reading& reading = r.at("one lane a warp");
    return {{"l2.atomic_latency", reading.median() / 128, reading.spread()}};
  };

  Microbenchmark micro;
  micro.name = "atomics";
  micro.what =
      "atomics of all SMs to one word, to all words of a sector, two compare-and-swaps, or "
      "distinct "
      "words in 16 MB";
  micro.entries = {"l2.atomic_gap", "l2.atomic_full", "l2.atomic_wide", "l2.atomic_real",
                   "l2.atomic_bandwidth"};
  // Without the clocked kernel: its variable would make every timed launch load the code anew.
  micro.source =
      kPrelude +
      std::string(kAtomicSource).substr(0, std::string(kAtomicSource).find("__device__ u32 pool"));
  constexpr std::uint32_t kFew = 64, kMany = 192, kAtomicThreads = 256;
  const std::uint32_t words = (16 << 20) / 4;
  for (const std::uint32_t count : {kFew, kMany}) {
    const char* const word = count == kFew ? "few" : "many";
    for (const std::uint32_t lanes : {1u, 2u, 32u}) {
      micro.launches.push_back(timed(fmt::format("same {} {}", lanes, word), "same", gpu.sms,
                                     kAtomicThreads,
                                     {"buf:4096:zero", u32(lanes), u32(count), u32(0)}));
    }
    for (const char* const kernel : {"sector", "swaps", "reals"}) {
      micro.launches.push_back(timed(fmt::format("{} {}", kernel, word), kernel, gpu.sms,
                                     kAtomicThreads, {"buf:4096:zero", u32(count)}));
    }
    micro.launches.push_back(timed(fmt::format("apart {}", word), "apart", gpu.sms * 4, 512,
                                   {"buf:16M:zero", u32(words), u32(count)}));
  }
  const double warps = gpu.sms * (kAtomicThreads / 32.0) * (kMany - kFew);
  const double apart = gpu.sms * 4.0 * 512 * (kMany - kFew);
  micro.settle = [warps, apart](const Readings& r,
                                const machine::Machine&) -> std::vector<Settled> {
    const Slope one = slope_in_cycles(r.at("same 1 few"), r.at("same 1 many"), warps);
    const Slope full = slope_in_cycles(r.at("sector few"), r.at("sector many"), warps);
    const Slope wide = slope_in_cycles(r.at("swaps few"), r.at("swaps many"), warps);
    const Slope real = slope_in_cycles(r.at("reals few"), r.at("reals many"), warps);
    const Slope many = slope_in_cycles(r.at("apart few"), r.at("apart many"), apart);
    return {{"l2.atomic_gap", one.value, one.spread},
            {"l2.atomic_full", full.value, full.spread},
            {"l2.atomic_wide", wide.value, wide.spread},
            {"l2.atomic_real", real.value, real.spread},
            {"l2.atomic_bandwidth", 1 / many.value, many.spread}};
  };
  return {latency, micro};
}

}  // namespace burin::gpu
