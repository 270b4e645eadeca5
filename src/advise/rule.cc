#include "advise/rule.h"

#include <algorithm>

namespace burin {

InstructionSet causes_of(const Case& c, std::span<const MatchedStall> stalls) {
  InstructionSet set(c.size());
  for (const MatchedStall& m : stalls) set[c.blamed.stalls[m.stall].cause] = 1;
  return set;
}

double share_of(const Case& c, std::span<const MatchedStall> stalls) {
  double sum = 0;
  for (const MatchedStall& m : stalls) sum += c.blamed.stalls[m.stall].cycles.sum() * m.weight;
  return c.blamed.total > 0 ? sum / c.blamed.total : 0;
}

const BlamedStall& hottest(const Case& c, std::span<const MatchedStall> stalls) {
  const auto most = std::ranges::max_element(stalls, {}, [&](const MatchedStall& m) {
    return c.blamed.stalls[m.stall].cycles.sum() * m.weight;
  });
  return c.blamed.stalls[most->stall];
}

}  // namespace burin
