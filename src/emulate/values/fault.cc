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

namespace {

std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> order_of(const launch::Dims& block) {
  return {block.z, block.y, block.x};
}

}  // namespace

std::vector<Fault>::iterator FaultList::find(Fault::Kind kind, std::uint32_t instruction) {
  return std::ranges::find_if(
      faults_, [&](const Fault& f) { return f.kind == kind && f.instruction == instruction; });
}

bool FaultList::repeat(Fault::Kind kind, std::uint32_t instruction, const launch::Dims& block,
                       std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  const auto same = find(kind, instruction);
  if (same == faults_.end() || order_of(block) < order_of(same->block)) return false;
  same->count += count;
  return true;
}

void FaultList::add(Fault fault) {
  const std::lock_guard lock(mutex_);
  const auto same = find(fault.kind, fault.instruction);
  if (same == faults_.end()) {
    faults_.push_back(std::move(fault));
    return;
  }
  fault.count += same->count;
  if (order_of(fault.block) < order_of(same->block)) {
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
