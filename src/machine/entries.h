// The list of all entries of a machine file: name, unit, plausible range, meaning. The loader, the
// sanity check, `burin machines` and `burin calibrate` iterate over this list. To add an entry, add
// a field to Machine, a row in entries.cc, and a value with its source to every file in
// data/machines/. A test fails unless the timing model, occupancy or a bound depends on the entry.
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
  bool required = true;  // if false, a missing entry is 0: the architecture lacks the feature
  std::string meaning;
  double& (*field)(Machine&, std::size_t index) = nullptr;  // index: the class, for class entries
  std::size_t index = 0;
  enum class Kind : std::uint8_t {
    kModel,  // read by the model; a time or rate scales with its resource (analyze/change.h)
    kFixed,  // read by the model; a queue depth or a window, which does not scale with a resource's
             // speed
    kDescription,  // printed and checked, but no prediction depends on it
  };
  Kind kind = Kind::kModel;

  double& in(Machine& machine) const { return field(machine, index); }
  double in(const Machine& machine) const { return field(const_cast<Machine&>(machine), index); }
};

std::span<const MachineEntry> machine_entries();

}  // namespace burin::machine
