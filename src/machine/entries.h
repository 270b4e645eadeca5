// The list of all entries of a machine file: name, unit, plausible range, meaning. The loader, the
// sanity check, `burin machines` and `burin calibrate` walk this list. To add an entry, add a field
// to Machine, a row in entries.cc, and a value with its source to every file of data/machines/; a
// test fails unless the timing model, occupancy or a bound depends on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "machine/machine.h"

namespace burin::machine {

struct MachineEntry {
  std::string name;  // "dram.latency", "class.fma.gap"
  std::string_view unit;
  double least = 0;  // a value outside [least, most] is absurd
  double most = 0;
  bool required = true;  // else 0 where the file has none: the architecture has no such thing
  std::string meaning;
  double& (*field)(Machine&, std::size_t index) = nullptr;  // index: of the class, for classes
  std::size_t index = 0;
  enum class Kind : std::uint8_t {
    kModel,  // the model reads it; a time or rate scales with its resource (analyze/change.h)
    kFixed,  // the model reads it; a queue depth or a window, which no resource's speed scales
    kDescription,  // printed and checked, but no prediction depends on it
  };
  Kind kind = Kind::kModel;

  double& in(Machine& machine) const { return field(machine, index); }
  double in(const Machine& machine) const { return field(const_cast<Machine&>(machine), index); }
};

std::span<const MachineEntry> machine_entries();

}  // namespace burin::machine
