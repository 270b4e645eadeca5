#include "gpu/micro/prelude.h"

#include <cmath>

#include "base/format.h"

namespace burin::gpu {

const std::string kPrelude = fmt::format("#define PASSES {}\n", kPasses) + R"(
typedef unsigned int u32;
typedef unsigned long long u64;
#define R2(...) __VA_ARGS__ __VA_ARGS__
#define R4(...) R2(__VA_ARGS__) R2(__VA_ARGS__)
#define R8(...) R4(__VA_ARGS__) R4(__VA_ARGS__)
#define R16(...) R8(__VA_ARGS__) R8(__VA_ARGS__)
#define R32(...) R16(__VA_ARGS__) R16(__VA_ARGS__)
#define R64(...) R32(__VA_ARGS__) R32(__VA_ARGS__)
#define R128(...) R64(__VA_ARGS__) R64(__VA_ARGS__)
#define R256(...) R128(__VA_ARGS__) R128(__VA_ARGS__)
#define R512(...) R256(__VA_ARGS__) R256(__VA_ARGS__)
__device__ __forceinline__ u32 clock_now() {
  u32 t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t) : : "memory");
  return t;
}
#define TIMED(out, ...)                                                                  \
  {                                                                                       \
    const u32 warps_ = gridDim.x * (blockDim.x / 32);                                     \
    const u32 warp_ = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;                  \
    _Pragma("unroll 1") for (u32 pass = 0; pass < PASSES; ++pass) {                       \
      __syncthreads();                                                                    \
      const u32 start_ = clock_now();                                                     \
      __VA_ARGS__;                                                                        \
      const u32 end_ = clock_now();                                                       \
      if (threadIdx.x % 32 == 0) {                                                        \
        out[(pass * warps_ + warp_) * 2] = start_;                                        \
        out[(pass * warps_ + warp_) * 2 + 1] = end_;                                      \
      }                                                                                   \
    }                                                                                     \
  }
#define KEEP(out, value) \
  if ((value) == 0x5eed5eedu) out[0] = 1;
)";

const std::vector<std::string> kLoopCode = {"BRA",  "ISETP",  "VIADD",  "IADD3", "IMAD",
                                            "MOV",  "UIADD3", "UISETP", "ULDC",  "PLOP3",
                                            "BSSY", "NOP",    "HFMA2"};  // sets a register to zero

MicroLaunch clocked(std::string label, std::string kernel, std::uint32_t blocks,
                    std::uint32_t threads, std::vector<std::string> arguments) {
  return {.label = std::move(label),
          .kernel = std::move(kernel),
          .output = blocks == 1 ? MicroOutput::kSpan : MicroOutput::kMean,
          .grid = {blocks},
          .block = {threads},
          .arguments = std::move(arguments)};
}

MicroLaunch timed(std::string label, std::string kernel, std::uint32_t blocks,
                  std::uint32_t threads, std::vector<std::string> arguments) {
  return {.label = std::move(label),
          .kernel = std::move(kernel),
          .output = MicroOutput::kTimes,
          .grid = {blocks},
          .block = {threads},
          .arguments = std::move(arguments)};
}

std::string u32(std::uint64_t value) {
  return fmt::format("u32:{}", value);
}

std::string u64(std::uint64_t value) {
  return fmt::format("u64:{}", value);
}

Slope slope(const Reading& less, const Reading& more, double units) {
  const measure::Sample low = measure::summarize(less.values);
  const measure::Sample high = measure::summarize(more.values);
  const double difference = high.median - low.median;
  const double error = std::hypot(low.upper_quartile - low.lower_quartile,
                                  high.upper_quartile - high.lower_quartile) /
                       2;
  return {difference / units, difference == 0 ? 0 : std::abs(error / difference)};
}

Slope slope_in_cycles(const Reading& less, const Reading& more, double units) {
  const Slope time = slope(less, more, units);
  return {time.value * more.clock_mhz, time.spread};
}

}  // namespace burin::gpu
