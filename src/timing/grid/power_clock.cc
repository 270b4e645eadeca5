#include "timing/grid/power_clock.h"

#include <algorithm>

namespace burin::timing {
namespace {

// Up to this utilisation of the tensor cores, the clock does not change.
constexpr double kMaxTensorBusy = 0.45;

bool has_narrow_products(const read::Kernel& kernel, std::span<const TimedOp> code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool product = code[i].kind == TimedOp::Kind::kProduct;
    if (product && kernel.instructions[i].modifier("from") != "TF32") return true;
  }
  return false;
}

}  // namespace

void slow_by_power(const read::Kernel& kernel, std::span<const TimedOp> code,
                   const machine::Machine& machine, Prediction& p) {
  const double busy = p.busy[static_cast<std::size_t>(machine::Resource::kTensor)];
  if (busy <= kMaxTensorBusy || !has_narrow_products(kernel, code)) return;
  const double least = std::min(p.clock_mhz, machine.sm.full_tensor_clock_mhz);
  p.clock_mhz -= (p.clock_mhz - least) * (busy - kMaxTensorBusy) / (1 - kMaxTensorBusy);
  p.time_us = p.cycles / p.clock_mhz;
}

}  // namespace burin::timing
