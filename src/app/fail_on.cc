#include "app/fail_on.h"

#include "base/format.h"

namespace burin::app {

Exit fail_on(const std::vector<advise::Crossing>& crossed, Context& context) {
  if (crossed.empty()) return Exit::kDone;
  context.out.flush();
  for (const advise::Crossing& each : crossed) {
    context.warn(fmt::format("--fail-on {}: {}", each.gate, each.sentence));
  }
  return Exit::kGate;
}

}  // namespace burin::app
