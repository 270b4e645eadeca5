// The launch's time, were something different: the machine, or the shape that the kernel has on it.
//
//   Result<WhatIf> faster = parse_what_if("dram.bandwidth=2x", study.machine());
//   Result<Prediction> p = predict_what_if(study, *faster);
//
// A text is one or several of these, joined by +:
//
//   RESOURCE.latency=2x, RESOURCE.throughput=2x (or .bandwidth, .gap)   all entries of a resource,
//       by one factor. A plain number (fma.latency=2, dram.bandwidth=4000) is the new value of the
//       entry of that name, or of class.RESOURCE; the resource's others change by the same factor
//   ENTRY=VALUE, ENTRY=2x       one entry of the machine: l2.size, class.mufu.gap, sm.count …
//   machine=NAME                another machine
//   block=X[,Y[,Z]]             another block; the grid has as many threads as before, or more
//   registers=N, shared=BYTES   of a thread, of a block: as far as occupancy is concerned
//
// 2x is twice the number: twice the bandwidth, twice the latency.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyze/study.h"
#include "base/result.h"
#include "launch/launch.h"
#include "machine/machine.h"

namespace burin::analyze {

struct WhatIf {
  std::string text;
  machine::Machine machine;
  bool other_machine = false;  // by its name: the code is taken as compiled for it
  bool retrace = false;        // blocks go to the SMs in another way
  std::optional<launch::Dims> block;
  std::optional<std::uint64_t> registers;
  std::optional<std::uint64_t> shared;
};

// What is not known, and numbers that no machine has, are refused by name, with what there is.
Result<WhatIf> parse_what_if(std::string_view text, const machine::Machine& machine);

// A launch that the changed machine cannot hold is an error in words.
Result<timing::Prediction> predict_what_if(const Study& study, const WhatIf& what_if);

}  // namespace burin::analyze
