#include "model/fit/hardware.h"

namespace burin::model {

using machine::Machine;

std::span<const HardwareValue> hardware_values() {
  static constexpr HardwareValue kValues[] = {
      {"sm_count", [](const Machine& m) { return m.sm.count; }},
      {"clock_mhz", [](const Machine& m) { return m.sm.clock_mhz; }},
      {"schedulers", [](const Machine& m) { return m.sm.schedulers; }},
      {"warps_per_sm", [](const Machine& m) { return m.limit.warps; }},
      {"blocks_per_sm", [](const Machine& m) { return m.limit.blocks; }},
      {"registers_per_sm", [](const Machine& m) { return m.limit.registers; }},
      {"registers_per_block", [](const Machine& m) { return m.limit.registers_per_block; }},
      {"register_granule", [](const Machine& m) { return m.limit.register_granule; }},
      {"shared_per_sm", [](const Machine& m) { return m.limit.shared; }},
      {"shared_per_block", [](const Machine& m) { return m.limit.shared_per_block; }},
      {"shared_granule", [](const Machine& m) { return m.limit.shared_granule; }},
      {"shared_reserved", [](const Machine& m) { return m.limit.shared_reserved; }},
      {"l2_bytes", [](const Machine& m) { return m.l2.size; }},
      {"l2_latency", [](const Machine& m) { return m.l2.latency; }},
      {"l2_bytes_per_cycle", [](const Machine& m) { return m.l2.bandwidth; }},
      {"dram_latency", [](const Machine& m) { return m.dram.latency; }},
      {"dram_bytes_per_cycle", [](const Machine& m) { return m.dram.bandwidth; }},
  };
  return kValues;
}

std::optional<double> hardware_value(const Machine& machine, std::string_view name) {
  for (const HardwareValue& value : hardware_values()) {
    if (value.name == name) return value.of(machine);
  }
  return std::nullopt;
}

}  // namespace burin::model
