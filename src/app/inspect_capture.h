// `burin inspect CAPTURE`: the launches of a recorded program, their measured times and burin's
// predictions.
#pragma once

#include <optional>
#include <string>

#include "app/cli.h"
#include "app/options/html_option.h"
#include "base/result.h"

namespace burin::app {

struct CaptureView {
  std::optional<std::string> kernel{};  // only kernels whose name contains this
  bool all = false;                     // every launch, not only the longest
  bool compare = false;
  bool stacks = false;              // host call stacks, folded
  bool warm = false, cold = false;  // neither: caches as left by the preceding launches
  std::string machine{};            // machine to predict for; "": the GPU's own
  PictureOptions pictures{};

  bool is_asked() const {
    return all || compare || stacks || warm || cold || !machine.empty() || !pictures.trace.empty();
  }
};

void add_capture_view(CLI::App& app, CaptureView& view);

// Shows the capture. If `name` ends in :LAUNCH, only that launch is shown, in full.
Result<Exit> inspect_capture(const std::string& name, const CaptureView& view, Context& context);

}  // namespace burin::app
