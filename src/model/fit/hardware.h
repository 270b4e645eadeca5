// The hardware values that rational programs read, by name.
//
//   hardware_value(machine, "sm_count")     132
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace burin::model {

struct HardwareValue {
  std::string_view name;
  double (*of)(const machine::Machine&);
};
std::span<const HardwareValue> hardware_values();

// None for a name that is not among them.
std::optional<double> hardware_value(const machine::Machine& machine, std::string_view name);

}  // namespace burin::model
