// From what warps waited for to what to change: every rule is asked, what it matches is estimated
// twice (by the paper's equations, and by emulating the launch with the cause removed), held
// against what the hardware allows, and ranked.
//
//   Advice advice = advise(c, {});
//   advice.findings[0].rule       "bank-conflicts"
//   advice.findings[0].speedup    2.2
#pragma once

#include <span>
#include <string>
#include <vector>

#include "advise/case.h"
#include "advise/finding.h"
#include "advise/rule.h"

namespace burin {

struct AdviseOptions {
  std::vector<std::string> only{};     // ids; empty: all
  std::vector<std::string> without{};  // ids
  std::vector<const Rule*> more{};     // the user's own, see load_rules
  double least = 1.01;                 // smaller speedups are not told
  unsigned samples = 3;                // replays for each estimate by emulation
};

struct Advice {
  std::vector<Finding> findings;   // the largest speedup first
  std::vector<std::string> notes;  // what the reader should know: too few samples, …
};
Advice advise(const Case& c, const AdviseOptions& options = {});

}  // namespace burin
