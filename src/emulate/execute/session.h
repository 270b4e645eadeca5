// A launch ready for execution: memory, constants and the lowered program. Its clusters can be run
// completely (run.cc) or in part (timing/trace/trace_source.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "emulate/state/grid.h"
#include "emulate/state/lower.h"

namespace burin::emulate {

struct Session {
  Session() = default;
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

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

// Why the run stops if the host has no memory left: "not enough memory: …". `limit` is the one that
// was exceeded; 0: the system refused more.
Error out_of_memory(const Grid& grid, std::uint64_t limit = 0);

// Calls work(). Stops the run if the system refuses memory.
template <typename Work>
void within_memory(Grid& grid, const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    grid.stop(out_of_memory(grid));
  }
}

}  // namespace burin::emulate
