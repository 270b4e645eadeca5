// The change that explain applies: the latency or the throughput of one machine resource, scaled by
// a factor, in the whole launch or only for the instructions of one region.
//
//   Change slower{Resource::kDram, Mode::kThroughput, 1.1};
//   Machine machine = changed(h200, slower);       // dram.bandwidth, … are those of h200 / 1.1
//
// A factor of 1.1 means 10 % slower: latencies and gaps are multiplied by it, rates are divided by
// it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "machine/machine.h"
#include "read/program/instruction_set.h"

namespace burin::analyze {

enum class Mode : std::uint8_t {
  kLatency,     // time from a request to its result
  kThroughput,  // time from accepting one request to accepting the next: the gap
};
inline constexpr std::array<Mode, 2> kModes = {Mode::kLatency, Mode::kThroughput};
std::string_view name(Mode mode);  // "latency", "throughput"

struct Change {
  machine::Resource resource = machine::Resource::kIssue;
  Mode mode = Mode::kLatency;
  double factor = 1;
  const read::InstructionSet* region = nullptr;  // null: the whole launch
};

// Returns a copy of `machine` in which every entry for the latency (or the throughput) of the
// resource is scaled. Issue throughput has no machine entry: see issue_slots().
machine::Machine changed(const machine::Machine& machine, const Change& change);
// Returns the factor to apply to issue slots: `change.factor` for a change of issue throughput,
// else 1.
double issue_slots(const Change& change);

}  // namespace burin::analyze
