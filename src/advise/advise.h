// From stalls to advice. Every rule runs on the launch; each match is estimated twice (by the
// paper's equations, and by emulating the launch with the cause removed), capped by hardware
// bounds, and ranked.
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
  std::vector<std::string> only{};     // rule ids to run; empty: all
  std::vector<std::string> without{};  // rule ids to skip
  bool shape_known = true;  // grid and block size are known; else rules that judge them are skipped
  std::vector<const Rule*> more{};  // the user's rules, see load_rules()
  double least = 1.01;              // findings with a smaller speedup are dropped
  // Called before each of `all` emulations without a cause; false stops further emulation, for
  // example when time runs out. The most promising findings are emulated first; the rest keep only
  // the estimate by the equations.
  std::function<bool(std::size_t begun, std::size_t all)> go_on{};
};

struct Advice {
  std::vector<Finding> findings;   // largest speedup first
  std::vector<std::string> notes;  // caveats for the reader: too few samples, …
};
Advice advise(const Case& c, const AdviseOptions& options = {});

}  // namespace burin::advise
