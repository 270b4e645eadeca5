// A launch ready for execution: memory, constants and the lowered program. Its clusters can be run
// completely (run.cc) or in part (timing/trace/trace_source.cc).
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
  std::vector<std::uint64_t> buffers;  // buffer address per argument; 0 if not a buffer
  std::uint64_t clusters = 0;
};

// Prepares the launch. Returns an Error if burin cannot execute the architecture. All arguments
// must outlive the session.
Result<std::unique_ptr<Session>> open_session(const read::Kernel& kernel,
                                              const launch::Launch& launch,
                                              const RunOptions& options);

}  // namespace burin::emulate
