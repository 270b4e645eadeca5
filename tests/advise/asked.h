// One rule asked about one launch, whatever its gain.
//
//   const std::optional<Finding> found = ask("coalescing", Advised("transpose_naive/large"));
#pragma once

#include <optional>
#include <string>

#include "advised.h"

namespace burin::advise {

inline std::optional<Finding> ask(const std::string& rule, const Case& c) {
  const Advice advice = advise(c, {.only = {rule}, .least = 0});
  if (advice.findings.empty()) return std::nullopt;
  return advice.findings[0];
}
inline std::optional<Finding> ask(const std::string& rule, const Advised& launch) {
  return ask(rule, launch.launch_case());
}

}  // namespace burin::advise
