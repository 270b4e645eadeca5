#include <algorithm>
#include <array>

#include "measure/device.h"

namespace burin::measure {
namespace {

struct FailureName {
  FailureKind kind;
  std::string_view name;
};
constexpr std::array kFailures{
    FailureName{FailureKind::kRequest, "request"}, FailureName{FailureKind::kDevice, "device"},
    FailureName{FailureKind::kCompile, "compile"}, FailureName{FailureKind::kLaunch, "launch"},
    FailureName{FailureKind::kRuntime, "runtime"}, FailureName{FailureKind::kTimeout, "timeout"},
};

}  // namespace

std::string_view name(FailureKind kind) {
  return std::ranges::find(kFailures, kind, &FailureName::kind)->name;
}

std::optional<FailureKind> parse_failure(std::string_view text) {
  const auto found = std::ranges::find(kFailures, text, &FailureName::name);
  if (found == kFailures.end()) return std::nullopt;
  return found->kind;
}

}  // namespace burin::measure
