// From what warps waited for to what to change: every rule is asked, what it matches is estimated
// twice (by the paper's equations, and by emulating the launch with the cause removed), held
// against what the hardware allows, and ranked.
//
//   Advice advice = advise(c, {});
//   advice.findings[0].rule       "bank-conflicts"
//   advice.findings[0].speedup    2.2
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "advise/case/case.h"
#include "advise/case/finding.h"
#include "advise/case/rule.h"

namespace burin::advise {

struct AdviseOptions {
  std::vector<std::string> only{};     // ids; empty: all
  std::vector<std::string> without{};  // ids
  bool shape_known = true;          // of grid and block; else rules that judge them are not asked
  std::vector<const Rule*> more{};  // the user's own, see load_rules
  double least = 1.01;              // smaller speedups are not told
  // Asked before the launch is emulated without a cause, of so many: false where there is no time
  // for more. The most promising come first; the others have the equations' estimate alone.
  std::function<bool(std::size_t begun, std::size_t all)> go_on{};
};

struct Advice {
  std::vector<Finding> findings;   // the largest speedup first
  std::vector<std::string> notes;  // what the reader should know: too few samples, …
};
Advice advise(const Case& c, const AdviseOptions& options = {});

}  // namespace burin::advise
