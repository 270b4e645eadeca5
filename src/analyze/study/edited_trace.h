// A traced launch with edited memory requests: better access patterns for some instructions, or the
// same work spread over other warps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "timing/trace/traced_launch.h"

namespace burin::analyze {

// The edits to the requests of one instruction.
struct RequestEdit {
  bool ideal_sectors = false;
  bool no_conflicts = false;
  bool padded = false;
  bool staged = false;
  bool spread = false;
  bool combined = false;
  std::optional<double> final_additions{};  // see Edit::kPrivate; empty: atomics stay as they are

  bool any() const {
    return ideal_sectors || no_conflicts || padded || staged || spread || combined ||
           final_additions;
  }
};

// Returns a copy of `traced` with the requests edited. `edits` holds one entry for each instruction
// of the kernel. Requests that are already optimal stay as they are.
std::unique_ptr<timing::TracedLaunch> edited_trace(const timing::TracedLaunch& traced,
                                                   const std::vector<RequestEdit>& edits);

}  // namespace burin::analyze
