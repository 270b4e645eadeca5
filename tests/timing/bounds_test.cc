// Is a prediction ever shorter than what its instructions and bytes take at the very least?
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sanitized.h"
#include "timed_launch.h"

namespace burin::timing {
namespace {

// The least cycles of each part of the GPU, were all SMs evenly busy with nothing else.
struct Bounds {
  double issue = 0;
  double lsu = 0;
  double dram = 0;
  std::array<double, kUnits> unit{};
};

Bounds bounds(const TimedLaunch& launch, const std::vector<double>& issued, const Prediction& p,
              const machine::Machine& machine) {
  const std::vector<TimedOp> code = timed_code(launch.kernel(), machine);
  const double sms = std::min(machine.sm.count, static_cast<double>(launch.launch().grid.total()));
  Bounds b;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const double share = issued[i] / sms;
    b.issue += share / machine.sm.schedulers;
    b.unit[static_cast<std::size_t>(code[i].unit)] += share * code[i].gap / machine.sm.schedulers;
    if (code[i].kind == TimedOp::Kind::kMemory) b.lsu += share * machine.lsu.gap;
  }
  double& fma = b.unit[static_cast<std::size_t>(Unit::kFma)];
  fma = (fma + b.unit[static_cast<std::size_t>(Unit::kFmaHeavy)]) / machine.issue.fma_units;
  // These are bounded by their own queues and by the memory stages.
  for (const Unit unit : {Unit::kNone, Unit::kLsu, Unit::kBulk}) {
    b.unit[static_cast<std::size_t>(unit)] = 0;
  }
  b.dram = p.dram_read_bytes / machine.dram.bandwidth +
           p.dram_write_bytes / std::max(machine.dram.bandwidth, machine.dram.write_bandwidth);
  return b;
}

// 1 %: what stands for the rest of a grid stands for it on average.
void expect_within(const Bounds& b, const Prediction& p, const std::string& what) {
  const double cycles = 1.01 * (p.cycles - p.launch_cycles);
  EXPECT_GE(cycles, b.issue) << what;
  EXPECT_GE(cycles, b.lsu) << what;
  EXPECT_GE(cycles, b.dram) << what;
  for (std::size_t u = 0; u < kUnits; ++u) EXPECT_GE(cycles, b.unit[u]) << what << ", unit " << u;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    EXPECT_LE(p.busy[r], 1.01) << what << ": " << machine::name(static_cast<machine::Resource>(r));
    EXPECT_GE(p.busy[r], 0) << what << ": " << machine::name(static_cast<machine::Resource>(r));
  }
  EXPECT_GE(p.tail_share, 0);
  EXPECT_LE(p.tail_share, 1);
  EXPECT_GE(p.extrapolated_share, 0);
  EXPECT_LE(p.extrapolated_share, 1);
  for (const double rate : {p.l1_hit_rate, p.l2_hit_rate, p.unknown_share}) {
    EXPECT_GE(rate, 0) << what;
    EXPECT_LE(rate, 1) << what;
  }
}

// With the counts that plain emulation finds.
TEST(Bounds, HoldForTheKernelsOfTheBench) {
  const machine::Machine machine = h200();
  for (const char* line :
       {"saxpy/odd", "scale_float4/large", "gather/odd", "transpose_naive/odd",
        "transpose_shared/odd", "product_f32/odd", "product_f64/odd", "product_registers/odd",
        "stencil_plane/odd", "heat_tile/odd", "mandelbrot/odd", "histogram_shared/odd",
        "sum_atomic/odd", "local_sort/odd", "wmma_f16/odd", "polynomial/odd", "warp_redux/odd",
        "gemm_pipeline/square", "cluster_sum/four"}) {
    const TimedLaunch launch(line);
    const Prediction p = launch.prediction(machine);
    expect_within(bounds(launch, launch.counts(), p, machine), p, line);
  }
}

// With the counts of the prediction itself, for grids too large to execute.
TEST(Bounds, HoldForRandomShapes) {
  const machine::Machine machine = h200();
  std::mt19937 engine(7);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (const char* kernel :
       {"shape_transpose", "shape_laplace", "shape_nine", "shape_convolve", "shape_product"}) {
    for (int k = 0; k < (kSanitized ? 1 : 4); ++k) {
      const std::uint32_t x = 1u << (random() % 8);
      const std::uint32_t y = 1u << (random() % (x > 32 ? 3 : 6));
      const std::uint32_t width = 256 + random() % 3000;
      const std::uint32_t height = 256 + random() % 3000;
      const std::string bytes = std::to_string(8ull * width * height);
      std::vector<std::string> arguments{"buf:" + bytes + ":f32", "buf:" + bytes + ":undef",
                                         "i32:" + std::to_string(width),
                                         "i32:" + std::to_string(height)};
      if (std::string_view(kernel) == "shape_product") {
        arguments.insert(arguments.begin(), "buf:" + bytes + ":f32");
        arguments.push_back("i32:" + std::to_string(1 + random() % 60));
      }
      const TimedLaunch launch("shapes", kernel,
                               {.grid = {(width + x - 1) / x, (height + y - 1) / y},
                                .block = {x, y},
                                .cluster = {},
                                .arguments = arguments});
      const Prediction p = launch.prediction(machine);
      std::vector<double> issued;
      for (const InstructionCost& c : p.costs) issued.push_back(c.issued);
      expect_within(bounds(launch, issued, p, machine), p,
                    std::string(kernel) + " in blocks of " + launch::to_string(launch::Dims{x, y}) +
                        ", " + std::to_string(width) + " by " + std::to_string(height));
    }
  }
}

}  // namespace
}  // namespace burin::timing
