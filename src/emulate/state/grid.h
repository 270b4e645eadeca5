// What all blocks of a running launch share.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "emulate/memory/memory.h"
#include "emulate/values/fault.h"
#include "emulate/values/run_options.h"
#include "launch/launch.h"
#include "read/program/kernel.h"

namespace burin::emulate {

// Generic addresses: these windows are shared and local memory, all else is global. The launch's
// own addresses stay clear of them, and those of a real program, which are below 2^48.
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{0x1fe} << 40;  // 4 GiB wide
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{0x1ff} << 40;   // 4 GiB wide
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
inline constexpr unsigned kClusterShift = 24;  // shared address bits that name the block's rank

// The words that atomics added to and were read from: their values before, by address.
struct CounterWord {
  std::uint64_t before = 0;
  unsigned bytes = 4;
};
using CounterLog = std::map<std::uint64_t, CounterWord>;

struct Grid {
  const read::Kernel* kernel = nullptr;
  const launch::Launch* launch = nullptr;
  const RunOptions* options = nullptr;
  bool heard = false;  // somebody listens to its events
  // Others that are not executed do the same: an integer added to a word of memory whose old value
  // is used is added so many times.
  std::uint64_t add_copies = 1;
  std::uint64_t add_salt = 0;
  CounterLog* counters = nullptr;  // hears of those words, where there is one
  bool products = true;            // matrix products are computed; else what they give is Unknown
  launch::Dims cluster{};          // 1,1,1 without clusters
  std::uint32_t shared_bytes = 0;  // reserved, static and dynamic
  std::uint32_t shared_reserved = 0;
  std::uint32_t local_bytes = 0;  // per thread; addresses [0, local_bytes), the stack grows down
  std::shared_ptr<GlobalMemory> memory;
  FaultList faults;
  std::vector<std::atomic<bool>> trips_met;  // as in Run

  std::atomic<bool> stopped{false};
  std::atomic<std::uint64_t> executed{0};  // warp instructions, kept only where there is a limit
  // That number for one add: sometimes fewer, sometimes more, so that those who are executed do not
  // all find the same remainder.
  std::uint64_t next_copies() {
    if (add_copies == 1) return 1;
    add_salt = add_salt * 6364136223846793005u + 1442695040888963407u;
    return 1 + (add_salt >> 33) % (2 * add_copies - 1);
  }
  // Ends the run; the first Error wins.
  void stop(Error error);
  std::optional<Error> error();

 private:
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace burin::emulate
