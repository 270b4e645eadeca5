// What explain varies: one resource of the machine, its latency or its throughput, by a factor, in
// the whole launch or for the instructions of one region.
//
//   Change slower{Resource::kDram, Mode::kThroughput, 1.1};
//   Machine machine = changed(h200, slower);       // dram.bandwidth, … are those of h200 / 1.1
//
// A factor of 1.1 is 10 % more time: latencies and gaps are multiplied, rates divided.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "machine/machine.h"
#include "read/program/instruction_set.h"

namespace burin::analyze {

enum class Mode : std::uint8_t {
  kLatency,     // from a request to its answer
  kThroughput,  // from a request to the next that is taken: the gap
};
inline constexpr std::array<Mode, 2> kModes = {Mode::kLatency, Mode::kThroughput};
std::string_view name(Mode mode);  // "latency", "throughput"

struct Change {
  machine::Resource resource = machine::Resource::kIssue;
  Mode mode = Mode::kLatency;
  double factor = 1;
  const read::InstructionSet* region = nullptr;  // null: everywhere
};

// The machine with all of its entries that are that resource's latency, or that are its throughput,
// changed. The throughput of issue is in no entry: see issue_slots.
machine::Machine changed(const machine::Machine& machine, const Change& change);
double issue_slots(const Change& change);

}  // namespace burin::analyze
