// What an explanation says, for people and for programs.
//
//   triad on h200: 158 µs predicted, caches cold; no GPU used
//   DRAM throughput limits this kernel (92 % of its time follows it), mostly in the loop at
//   stream.cu:31-33; the next is L2 throughput (4 %).
//
//   resource    mode          share   where
//   dram        throughput   92.1 %   loop at stream.cu:31-33 90.4 %
//   …
#pragma once

#include <string>
#include <string_view>

#include "analyze/explain.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct ExplainReport {
  const read::Kernel& kernel;
  const launch::Launch& launch;
  const machine::Machine& machine;
  const analyze::ExplainOptions& options;
  const analyze::Explanation& explanation;
  bool machine_assumed = false;  // nobody named it: it is the one for the kernel's architecture
  bool all = false;              // every row, not only those that matter
};

void write_explanation(Output& out, const ExplainReport& report);

// {"schema":"burin.explain/1",…}; docs/explain.md describes every field.
void write_explanation_json(Json& json, const ExplainReport& report, std::string_view file);

// The first sentence: which resource limits the kernel, how, where, and what comes next.
std::string bottleneck_sentence(const ExplainReport& report);

// "shared memory", "FMA pipe": a resource in a sentence.
std::string_view words_of(machine::Resource resource);

}  // namespace burin::report
