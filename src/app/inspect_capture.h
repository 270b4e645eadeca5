// `burin inspect CAPTURE`: what a recorded program launched, how long it took, and how long burin
// says it takes.
#pragma once

#include <optional>
#include <string>

#include "app/cli.h"
#include "base/result.h"

namespace burin::app {

struct CaptureView {
  std::optional<std::string> kernel{};  // only launches of kernels with this in their name
  bool all = false;                     // every launch, not only the longest
  bool compare = false;
  bool stacks = false;              // host call stacks, folded
  bool warm = false, cold = false;  // neither: as the launches before left the caches
  std::string machine{};            // to predict for; "": the GPU's own

  bool is_asked() const { return all || compare || stacks || warm || cold || !machine.empty(); }
};

void add_capture_view(CLI::App& app, CaptureView& view);

// `name` may end in :LAUNCH, which is then shown alone and in full.
Result<Exit> inspect_capture(const std::string& name, const CaptureView& view, Context& context);

}  // namespace burin::app
