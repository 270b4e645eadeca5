#include "analyze/critical_path.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace burin::analyze {

CriticalPath critical_path(const timing::PathSteps& steps) {
  CriticalPath path;
  if (steps.empty()) return path;
  std::map<std::tuple<std::uint32_t, std::uint32_t, launch::Stall>, PathLink> links;
  const auto last = std::ranges::max_element(steps, {}, &timing::PathStep::at);
  auto at = static_cast<std::uint32_t>(last - steps.begin());
  while (at != timing::PathStep::kNone) {
    const timing::PathStep& step = steps[at];
    const timing::PathStep* before =
        step.before == timing::PathStep::kNone ? nullptr : &steps[step.before];
    const std::uint32_t cause = before == nullptr ? timing::PathStep::kNone : before->instruction;
    PathLink& link = links[{step.instruction, cause, step.stall}];
    link.instruction = step.instruction;
    link.cause = cause;
    link.stall = step.stall;
    ++link.times;
    const std::int64_t since = before == nullptr ? 0 : before->at;
    const double cycles = static_cast<double>(step.at - since) * static_cast<double>(step.weight);
    link.cycles += cycles;
    path.cycles += cycles;
    at = step.before;
  }
  for (const auto& [key, link] : links) path.links.push_back(link);
  std::ranges::stable_sort(path.links, std::ranges::greater(), &PathLink::cycles);
  return path;
}

}  // namespace burin::analyze
