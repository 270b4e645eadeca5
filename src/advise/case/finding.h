// A rule's finding in a launch, with its estimates and its place in the code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/study/edit.h"
#include "read/program/kernel.h"

namespace burin::advise {

struct Hotspot {
  double share = 0;            // fraction of all warp-cycles or samples
  double speedup = 1;          // its part of the finding's speedup: without this hotspot alone
  std::uint32_t distance = 0;  // instructions from cause to waits
  std::uint32_t cause = 0;     // instruction that causes the stall
  std::uint32_t waits = 0;
  std::string loop{};      // "loop at a.cu:41-44", the innermost loop with both; "": none
  std::string function{};  // function that waits: inlined, called, or the kernel
};

// A change that was made by burin itself, compiled and predicted (`--try`).
struct TriedResult {
  std::string change{};  // what was changed: "#pragma unroll 4 at a.cu:41"
  double time_us = 0;    // predicted
  double speedup = 1;
  std::string condition{};  // what must hold for the change: a sentence, or ""
};

struct Finding {
  std::string rule;                          // rule id
  double speedup = 1;                        // best estimate; `trust` says which one
  double speedup_paper = 1;                  // by the equations of estimate.h or, if `computed`,
  bool computed = false;                     // computed from the launch's shape or its work per SM
  std::optional<double> speedup_emulated{};  // from emulation with the cause removed
  double share = 0;                          // fraction of T that is matched
  // Instruction that waits most; kNoIndex: the whole launch.
  std::uint32_t where = read::kNoIndex;
  std::uint32_t cause = read::kNoIndex;  // the instruction that `where` waits for
  std::vector<Hotspot> hotspots{};       // the largest, at most five
  double coverage = 0;                   // fraction of the matched stalls covered by the hotspots
  std::size_t spread = 0;                // number of matched places (pairs of cause and waits)
  std::string text{};
  std::string hint{};
  double confidence = 0;                // 0 … 1
  std::string trust{};                  // which estimate `speedup` is, and why
  std::vector<std::string> overlaps{};  // ids of findings that share at least half of the stalls
  std::optional<TriedResult> tried{};   // `speedup` is then its speedup
  // What was emulated, to be emulated together with other findings; empty: no edits of the trace.
  std::vector<analyze::Edit> edits{};
  double reach = 1;  // fraction of that gain that the change can realise
};

}  // namespace burin::advise
