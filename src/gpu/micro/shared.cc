// Shared memory: latency, bandwidth, bank conflicts and atomics; and the block barrier.
#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

constexpr std::uint32_t kChain = 128;  // timed instructions of a chain
constexpr std::uint32_t kLoop = 32;    // … of a loop
constexpr std::uint32_t kFewSharedRounds = 8, kManySharedRounds = 24;
constexpr std::uint32_t kWarps = 16;

// Lane i works at byte i * stride, wrapped at `wrap` bytes: a stride of 4 n gives n lanes a bank.
// Eight places in turn, moved by a zero that the compiler does not know, or it would take several
// for one.
const char* const kSharedSource = R"(
#define PLACE                                                                      \
  __shared__ u32 words[4096];                                                      \
  for (u32 i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = 0;               \
  __syncthreads();                                                                 \
  u32 at = (u32)__cvta_generic_to_shared(words) + (threadIdx.x % 32 * stride) % wrap;
#define KERNEL(name) extern "C" __global__ void name(u32* out, u32 stride, u32 wrap, u32 zero, u32 rounds)
#define LOOP(...) _Pragma("unroll 1") for (u32 i = 0; i < rounds; ++i) { __VA_ARGS__ }
#define EIGHT(one) one(0) one(1) one(2) one(3) one(4) one(5) one(6) one(7) at += zero;
KERNEL(chain) {
  PLACE
  words[threadIdx.x % 32 * stride % wrap / 4] = at;
  __syncthreads();
  TIMED(out, R128(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));))
  KEEP(out, at)
}
#define LOAD(k) asm volatile("ld.shared.u32 %0, [%1+" #k "*128];" : "=r"(v##k) : "r"(at));
#define XOR sum ^= v0 ^ v1; sum ^= v2 ^ v3; sum ^= v4 ^ v5; sum ^= v6 ^ v7;
KERNEL(load) {
  PLACE
  u32 v0, v1, v2, v3, v4, v5, v6, v7, sum = 0;
  TIMED(out, LOOP(R4(EIGHT(LOAD) XOR)))
  KEEP(out, sum)
}
#define WIDE(k)                                                                   \
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4+" #k "*512];"              \
               : "=r"(v##k), "=r"(w##k), "=r"(x##k), "=r"(y##k) : "r"(at));         \
  sum ^= v##k ^ w##k; sum ^= x##k ^ y##k;
KERNEL(wide) {
  PLACE
  u32 v0, v1, v2, v3, v4, v5, v6, v7, w0, w1, w2, w3, w4, w5, w6, w7, sum = 0;
  u32 x0, x1, x2, x3, x4, x5, x6, x7, y0, y1, y2, y3, y4, y5, y6, y7;
  TIMED(out, LOOP(R4(EIGHT(WIDE))))
  KEEP(out, sum)
}
#define STORE(k) asm volatile("st.shared.u32 [%0+" #k "*128], %0;" : : "r"(at) : "memory");
KERNEL(store) {
  PLACE
  TIMED(out, LOOP(R4(EIGHT(STORE))))
}
#define ADD(k) asm volatile("red.shared.add.u32 [%0+" #k "*128], %0;" : : "r"(at) : "memory");
KERNEL(atomic) {
  PLACE
  TIMED(out, LOOP(R4(EIGHT(ADD))))
}
KERNEL(atomic_chain) {
  PLACE
  u32 value = 0;
  TIMED(out, R128(asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(value) : "r"(at));))
  KEEP(out, value)
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
  micro.what = "shared memory loads, stores and atomics, with 1 to 32 lanes per bank";
  micro.entries = {"shared.latency", "shared.bandwidth", "shared.atomic_latency",
                   "shared.atomic_gap"};
  micro.source = kPrelude + kSharedSource;
  std::vector<std::string> around = kLoopCode;
  around.insert(around.end(), {"LOP3", "S2R"});
  micro.code = {{"chain", "LDS", kChain},
                {"atomic_chain", "ATOMS", kChain},
                {"load", "LDS", kLoop, around},
                {"store", "STS", kLoop, around},
                {"atomic", "ATOMS.ADD", kLoop, around},
                {"wide", "LDS.128", kLoop, around}};
  const auto chain = [&](const std::string& label, const char* kernel, std::uint32_t wrap) {
    micro.launches.push_back(clocked(label, kernel, 1, 32, {u32(4), u32(wrap), u32(0), u32(0)}));
  };
  const auto loop = [&](const std::string& label, const char* kernel, std::uint32_t stride,
                        std::uint32_t wrap) {
    for (const std::uint32_t rounds : {kFewSharedRounds, kManySharedRounds}) {
      micro.launches.push_back(clocked(label + (rounds == kFewSharedRounds ? ", few" : ", many"),
                                       kernel, 1, kWarps * 32,
                                       {u32(stride), u32(wrap), u32(0), u32(rounds)}));
    }
  };
  chain("chain", "chain", 4096);
  loop("wide", "wide", 16, 4096);
  for (std::uint32_t n = 1; n <= 32; n *= 2) {
    for (const char* const kernel : {"load", "store", "atomic"}) {
      loop(fmt::format("{} {}", kernel, n), kernel, 4 * n, 4096);
    }
    // n lanes at one address: 32 / n addresses.
    loop(fmt::format("atomic same {}", n), "atomic", 4, 4 * (32 / n));
    chain(fmt::format("atomic chain {}", n), "atomic_chain", 4 * (32 / n));
  }
  loop("load same", "load", 0, 4096);
  micro.settle = [](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
    const auto each = [&](const std::string& label) {
      return slope(r.at(label + ", few"), r.at(label + ", many"),
                   (kManySharedRounds - kFewSharedRounds) * kLoop * kWarps);
    };
    const Slope wide = each("wide"), one = each("atomic same 1"), all = each("atomic same 32");
    return {{"shared.latency", r.at("chain").median() / kChain, r.at("chain").spread()},
            {"shared.bandwidth", 512 / wide.value, wide.spread},
            {"shared.atomic_latency", r.at("atomic chain 1").median() / kChain,
             r.at("atomic chain 1").spread()},
            {"shared.atomic_gap", (all.value - one.value) / 31, all.spread}};
  };
  return micro;
}

Microbenchmark barrier() {
  Microbenchmark micro;
  micro.name = "barrier";
  micro.what = "64 consecutive block barriers, with 1 to 32 warps";
  micro.entries = {"barrier.latency", "barrier.gap"};
  micro.source = kPrelude + kBarrierSource;
  micro.code = {{"barrier", "BAR", 64, {"WARPSYNC", "NOP"}}};
  for (std::uint32_t warps = 1; warps <= 32; warps *= 2) {
    micro.launches.push_back(clocked(fmt::format("warps {}", warps), "barrier", 1, warps * 32));
  }
  micro.settle = [](const Readings& r, const machine::Machine&) -> std::vector<Settled> {
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

}  // namespace burin::gpu
