// A traced launch with other requests: what some instructions ask of memory, were it asked better,
// and by which warps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "timing/trace/traced_launch.h"

namespace burin::analyze {

// What is made of the requests of one instruction.
struct RequestEdit {
  bool ideal_sectors = false;
  bool no_conflicts = false;
  bool staged = false;
  bool spread = false;

  bool any() const { return ideal_sectors || no_conflicts || staged || spread; }
};

// `edits` has one for each instruction of the kernel. Requests that are as good as they can be stay
// as they are.
std::unique_ptr<timing::TracedLaunch> edited_trace(const timing::TracedLaunch& traced,
                                                   const std::vector<RequestEdit>& edits);

}  // namespace burin::analyze
