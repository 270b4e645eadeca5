// A launch made ready to be executed: memory, constants and the lowered program, from which whole
// clusters can be run, all of them (run.cc) or some (timing/trace_source.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulate/state/grid.h"
#include "emulate/state/lower.h"

namespace burin::emulate {

struct Session {
  Grid grid;
  std::unique_ptr<Program> program;
  std::vector<std::uint64_t> buffers;  // the address of each argument's buffer, else 0
  std::uint64_t clusters = 0;
};

// An Error where the architecture is not one that burin executes. All arguments must outlive the
// session.
Result<std::unique_ptr<Session>> open_session(const read::Kernel& kernel,
                                              const launch::Launch& launch,
                                              const RunOptions& options);

}  // namespace burin::emulate
