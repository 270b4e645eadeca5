#include "advise/patterns/mapping/register_room.h"

#include <algorithm>
#include <array>

#include "advise/case/requests.h"

namespace burin::advise {

namespace {

constexpr double kFewerWarps = 0.5;  // of the loss, since each warp has more work in flight

}  // namespace

bool spills(const Case& c) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const read::Instruction& at = c.at(i);
    if (at.known() && at.opcode->space == read::Space::kLocal && at.opcode->stores &&
        c.executed(i)) {
      return true;
    }
  }
  return false;
}

double more_registers_us(const Case& c, unsigned more) {
  machine::KernelNeeds needs = c.needs;
  needs.registers = std::min<std::uint64_t>(kMaxThreadRegisters, needs.registers + more);
  const std::uint64_t now = c.study->traced().resident;
  const Result<machine::Occupancy> then = machine::occupancy(c.machine, needs);
  if (!then || then->blocks == 0 || then->blocks >= now) return 0;
  const std::array residents = {then->blocks};
  const double time_us = c.study->with_residents(residents).front().time_us;
  return kFewerWarps * std::max(0.0, time_us - c.study->base().time_us);
}

}  // namespace burin::advise
