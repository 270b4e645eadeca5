// Predicts the launch's time on a changed machine or with a changed launch shape.
//
//   Result<WhatIf> faster = parse_what_if("dram.bandwidth=2x", study.machine());
//   Result<Prediction> p = predict_what_if(study, *faster);
//
// A what-if text is one or more of the following, joined by +:
//
//   RESOURCE.latency=2x, RESOURCE.throughput=2x (or .bandwidth, .gap)   scales all entries of a
//       resource by one factor. A plain number (fma.latency=2, dram.bandwidth=4000) is the new
//       value of the entry of that name, or of class.RESOURCE; the resource's other entries are
//       scaled by the same factor
//   ENTRY=VALUE, ENTRY=2x       one machine entry: l2.size, class.mufu.gap, sm.count …
//   machine=NAME                another machine
//   block=X[,Y[,Z]]             another block size; the grid keeps at least as many threads
//   registers=N, shared=BYTES   per thread, per block: affects occupancy only
//
// 2x doubles the number: twice the bandwidth, twice the latency.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyze/study/study.h"
#include "base/result.h"
#include "launch/launch.h"
#include "machine/machine.h"

namespace burin::analyze {

struct WhatIf {
  std::string text;
  machine::Machine machine;
  bool other_machine = false;  // chosen by name: the code is treated as compiled for it
  double issue_slots = 1;      // multiplies the issue slots of every instruction (change.h)
  bool retrace = false;        // blocks are distributed to the SMs differently
  std::optional<launch::Dims> block;
  std::optional<std::uint64_t> registers;
  std::optional<std::uint64_t> shared;
};

// Parses a what-if text. Unknown names and impossible values are errors that name the offender and
// list the valid choices.
Result<WhatIf> parse_what_if(std::string_view text, const machine::Machine& machine);

// Predicts the launch's time under the what-if. A launch that does not fit the changed machine is
// an error.
Result<timing::Prediction> predict_what_if(const Study& study, const WhatIf& what_if);

}  // namespace burin::analyze
