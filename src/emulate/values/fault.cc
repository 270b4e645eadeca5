#include "emulate/values/fault.h"

#include <algorithm>
#include <tuple>

namespace burin::emulate {

std::string_view name(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::kOutOfBounds:
      return "out-of-bounds";
    case Fault::Kind::kMisaligned:
      return "misaligned";
    case Fault::Kind::kUninitialised:
      return "uninitialised";
    case Fault::Kind::kRace:
      return "race";
    case Fault::Kind::kBarrierDivergence:
      return "barrier-divergence";
    case Fault::Kind::kTrap:
      return "trap";
    case Fault::Kind::kAssert:
      return "assertion";
    case Fault::Kind::kStackOverflow:
      return "stack-overflow";
    case Fault::Kind::kInvalidFree:
      return "invalid-free";
  }
  return "";
}

void FaultList::add(Fault fault) {
  const std::lock_guard lock(mutex_);
  const auto same = std::ranges::find_if(faults_, [&](const Fault& f) {
    return f.kind == fault.kind && f.instruction == fault.instruction;
  });
  if (same == faults_.end()) {
    faults_.push_back(std::move(fault));
    return;
  }
  const auto order = [](const Fault& f) { return std::tuple(f.block.z, f.block.y, f.block.x); };
  fault.count += same->count;
  if (order(fault) < order(*same)) {
    *same = std::move(fault);
  } else {
    same->count = fault.count;
  }
}

std::vector<Fault> FaultList::take() {
  const std::lock_guard lock(mutex_);
  std::ranges::sort(faults_, {}, [](const Fault& f) { return std::tuple(f.instruction, f.kind); });
  return std::move(faults_);
}

}  // namespace burin::emulate
