// An explanation, as text and as JSON.
//
//   triad on h200: 158 µs predicted, caches cold; no GPU used
//   DRAM throughput limits this kernel (sensitivity 92 %: time changes by 0.92 % per 1 % of DRAM
//   throughput), mostly in the loop at stream.cu:31-33; next: L2 throughput (4 %).
//
//   resource    mode          share       ±
//   dram        throughput   92.1 %   0.4 %
//   …
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "analyze/explain.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "report/launch/limit_sentence.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct ExplainReport {
  const read::Kernel& kernel;
  const launch::Launch& launch;
  const machine::Machine& machine;
  const analyze::ExplainOptions& options;
  const analyze::Explanation& explanation;
  bool machine_assumed = false;  // not named by the user: default for the kernel's architecture
  bool all = false;              // every row, not only the significant ones
  std::size_t most_links = std::numeric_limits<std::size_t>::max();  // of the path, in JSON
};

void write_explanation(Output& out, const ExplainReport& report);

// {"schema":"burin.explain/1",…}; docs/explain.md describes every field.
void write_explanation_json(Json& json, const ExplainReport& report, std::string_view file);

// Returns the first sentence: which resource limits the kernel, how, where, and what comes next.
std::string bottleneck_sentence(const ExplainReport& report);

// Writes the sensitivities by region (region_matrix.cc).
void write_region_matrix(Output& out, const ExplainReport& report);

}  // namespace burin::report
