// The faults of a launch: those of `burin run`, and those that predict, explain and advise find in
// the blocks they execute.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulate/values/fault.h"
#include "read/program/kernel.h"
#include "read/program/source.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

// Faults of one kind on one source line, or of one instruction without line information. An
// unrolled loop turns one mistake into many faults.
struct FaultGroup {
  const emulate::Fault* first = nullptr;  // the fault at the lowest offset
  std::uint64_t count = 0;                // total occurrences
  std::uint32_t instructions = 0;         // number of instructions with the fault
};
std::vector<FaultGroup> grouped_faults(const read::Kernel& kernel,
                                       std::span<const emulate::Fault> faults);

// Returns a clause on the consequence of a fault: "the value is whatever the memory held".
std::string_view consequence(emulate::Fault::Kind kind);

// Writes a paragraph per group, with the source line.
void write_faults(Output& out, const read::Kernel& kernel, std::span<const emulate::Fault> faults,
                  read::SourceText& source);

// Writes the faults of the launch (timing::launch_faults) and a line per group, for the top of a
// report on time:
//   fault: out-of-bounds at mm.cu:9, block 0,0,0 thread 0,1,0: 64 bytes past the end of argument 0
void write_fault_notes(Output& out, const read::Kernel& kernel,
                       std::span<const std::string> of_launch,
                       std::span<const emulate::Fault> faults);

// Writes the field "faults".
void write_faults(Json& json, const read::Kernel& kernel, std::span<const emulate::Fault> faults);

}  // namespace burin::report
