// Shared memory: latency, bandwidth, bank conflicts and atomics; and the block barrier.
#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin {
namespace {

constexpr std::uint32_t kCount = 128;  // timed instructions of each kernel
constexpr std::uint32_t kWarps = 16;

// Lane i works at byte i * stride, wrapped at `wrap` bytes: a stride of 4 n gives n lanes a bank.
const char* const kSource = R"(
#define PLACE                                                                      \
  __shared__ u32 words[4096];                                                      \
  for (u32 i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = 0;               \
  __syncthreads();                                                                 \
  u32 at = (u32)__cvta_generic_to_shared(words) + (threadIdx.x % 32 * stride) % wrap;
#define KERNEL(name) extern "C" __global__ void name(u32* out, u32 stride, u32 wrap)
#define CHAIN(text) asm volatile(text : "+r"(at) : : "memory");
KERNEL(chain) {
  PLACE
  words[threadIdx.x % 32 * stride % wrap / 4] = at;
  __syncthreads();
  TIMED(out, R128(CHAIN("ld.shared.u32 %0, [%0];")))
  KEEP(out, at)
}
#define ONE(k) asm volatile(LOAD : "=r"(v##k) : "r"(at) : "memory");
#define EIGHT ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7)
#define XOR sum ^= v0 ^ v1; sum ^= v2 ^ v3; sum ^= v4 ^ v5; sum ^= v6 ^ v7;
#define LOAD "ld.shared.u32 %0, [%1];"
KERNEL(load) {
  PLACE
  u32 v0, v1, v2, v3, v4, v5, v6, v7, sum = 0;
  TIMED(out, R16(EIGHT XOR))
  KEEP(out, sum)
}
KERNEL(store) {
  PLACE
  TIMED(out, R128(asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(stride) : "memory");))
}
KERNEL(atomic) {
  PLACE
  TIMED(out, R128(asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(at), "r"(stride) : "memory");))
}
KERNEL(atomic_chain) {
  PLACE
  u32 value = 0;
  TIMED(out, R128(asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(value) : "r"(at) : "memory");))
  KEEP(out, value)
}
KERNEL(wide) {
  PLACE
  u32 sum = 0;
  TIMED(out, R64({
    u32 a, b, c, d, e, f, g, h;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory");
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(e), "=r"(f), "=r"(g), "=r"(h) : "r"(at) : "memory");
    sum ^= a ^ e;
  }))
  KEEP(out, sum)
}
)";

const char* const kBarrierSource = R"(
extern "C" __global__ void barrier(u32* out) {
  TIMED(out, R64(asm volatile("barrier.sync 0;" : : : "memory");))
}
)";

Microbenchmark shared() {
  Microbenchmark micro;
  micro.name = "shared";
  micro.what = "loads, stores and atomics of shared memory, with 1 to 32 lanes a bank";
  micro.entries = {"shared.latency", "shared.bandwidth", "shared.atomic_latency",
                   "shared.atomic_gap"};
  micro.source = kPrelude + kSource;
  micro.code = {{"chain", "LDS", kCount},          {"load", "LDS", kCount, {"LOP3"}},
                {"store", "STS", kCount},          {"atomic", "ATOMS", kCount, {"LOP3"}},
                {"atomic_chain", "ATOMS", kCount}, {"wide", "LDS.128", kCount, {"LOP3"}}};
  const auto add = [&](const std::string& label, const char* kernel, std::uint32_t warps,
                       std::uint32_t stride, std::uint32_t wrap) {
    micro.launches.push_back(clocked(label, kernel, 1, warps * 32, {u32(stride), u32(wrap)}));
  };
  add("chain", "chain", 1, 4, 4096);
  add("wide", "wide", kWarps, 16, 4096);
  for (std::uint32_t n = 1; n <= 32; n *= 2) {
    for (const char* const kernel : {"load", "store", "atomic"}) {
      add(fmt::format("{} {}", kernel, n), kernel, kWarps, 4 * n, 4096);
    }
    // n lanes at one address: 32 / n addresses.
    add(fmt::format("atomic same {}", n), "atomic", kWarps, 4, 4 * (32 / n));
    add(fmt::format("atomic chain {}", n), "atomic_chain", 1, 4, 4 * (32 / n));
  }
  add("load same", "load", kWarps, 0, 4096);
  micro.settle = [](const Readings& r, const Machine&) -> std::vector<Settled> {
    const auto each = [&](const char* label) { return r.at(label).median() / (kCount * kWarps); };
    const double further = (each("atomic same 32") - each("atomic same 1")) / 31;
    return {{"shared.latency", r.at("chain").median() / kCount, r.at("chain").spread()},
            {"shared.bandwidth", 128 / each("load 1"), r.at("load 1").spread()},
            {"shared.atomic_latency", r.at("atomic chain 1").median() / kCount,
             r.at("atomic chain 1").spread()},
            {"shared.atomic_gap", further, r.at("atomic same 32").spread()}};
  };
  return micro;
}

Microbenchmark barrier() {
  Microbenchmark micro;
  micro.name = "barrier";
  micro.what = "64 block barriers in a row, with 1 to 32 warps";
  micro.entries = {"barrier.latency", "barrier.gap"};
  micro.source = kPrelude + kBarrierSource;
  micro.code = {{"barrier", "BAR", 64, {"WARPSYNC", "NOP"}}};
  for (std::uint32_t warps = 1; warps <= 32; warps *= 2) {
    micro.launches.push_back(clocked(fmt::format("warps {}", warps), "barrier", 1, warps * 32));
  }
  micro.settle = [](const Readings& r, const Machine&) -> std::vector<Settled> {
    const auto each = [&](const char* label) { return r.at(label).median() / 64; };
    const double gap = (each("warps 32") - each("warps 4")) / 28;
    return {{"barrier.latency", each("warps 4") - 4 * gap, r.at("warps 4").spread()},
            {"barrier.gap", gap, r.at("warps 32").spread()}};
  };
  return micro;
}

}  // namespace

std::vector<Microbenchmark> shared_benchmarks(const GpuShape&) {
  return {shared(), barrier()};
}

}  // namespace burin
