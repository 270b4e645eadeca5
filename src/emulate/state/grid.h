// State shared by all blocks of a running launch.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "emulate/memory/device_heap.h"
#include "emulate/memory/memory.h"
#include "emulate/values/fault.h"
#include "emulate/values/print_log.h"
#include "emulate/values/run_options.h"
#include "launch/launch.h"
#include "read/program/kernel.h"

namespace burin::emulate {

// Generic addresses in these windows are shared and local memory; all other generic addresses are
// global. The windows overlap neither the launch's own allocations nor addresses of a real program,
// which are below 2^48.
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{0x1fe} << 40;  // 4 GiB wide
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{0x1ff} << 40;   // 4 GiB wide
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
inline constexpr unsigned kClusterShift = 24;  // first bit of the block's rank in a shared address

// Words of memory that atomics incremented and whose old value was used: the values before the
// first such atomic, by address.
struct CounterWord {
  std::uint64_t before = 0;
  unsigned bytes = 4;
};
using CounterLog = std::map<std::uint64_t, CounterWord>;

struct Grid {
  const read::Kernel* kernel = nullptr;
  const launch::Launch* launch = nullptr;
  const RunOptions* options = nullptr;
  bool heard = false;  // a Listener receives its events
  // Average number of times that an integer atomic add with a used result is applied. Above 1, it
  // represents warps that are not executed but would perform the same add.
  std::uint64_t add_copies = 1;
  std::uint64_t add_salt = 0;
  std::uint64_t add_jitter = 0;    // by which the adds so far exceed add_copies each
  bool exact_copies = false;       // apply it that often each time, not only on average
  CounterLog* counters = nullptr;  // log of the words changed by such adds; may be null
  bool products = true;            // compute matrix products; if false, their results are Unknown
  launch::Dims cluster{};          // cluster shape; 1,1,1 without clusters
  std::uint32_t shared_bytes = 0;  // per block: reserved, static and dynamic
  std::uint32_t shared_reserved = 0;
  std::uint32_t local_bytes = 0;  // per thread, addresses [0, local_bytes); the stack grows down
  std::shared_ptr<GlobalMemory> memory;
  std::unique_ptr<DeviceHeap> heap;  // of malloc; null: the kernel has none
  PrintLog prints;
  std::atomic<unsigned> system_calls{0};  // executed ones; bit: SystemCall
  FaultList faults;
  std::vector<std::atomic<bool>> trips_met;  // see Run::trips_met

  std::atomic<bool> stopped{false};
  std::atomic<std::uint64_t> executed{0};  // warp instructions
  std::atomic<std::uint64_t> ended{0};     // `executed` when the last cluster ended
  std::atomic<std::uint64_t> writes{0};    // changes whenever a worker may have changed memory
  std::atomic<unsigned> workers{1};        // that run clusters of this grid
  // Returns how often to apply one add: pseudo-random with mean add_copies, so that the executed
  // warps do not all see the same remainder. The total exceeds its share by less than add_copies,
  // so a block that takes work from a queue gets what the others leave.
  std::uint64_t next_copies() {
    if (add_copies == 1 || exact_copies) return add_copies;
    add_salt = add_salt * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t before = std::min(add_jitter, add_copies - 1);
    add_jitter = (add_salt >> 33) % add_copies;
    return add_copies + add_jitter - before;
  }
  // A worker reports that none of its clusters can go on unless memory changes, as seen when
  // `writes` had this value. Returns true if the same holds for all workers.
  bool is_still(const void* worker, std::uint64_t at_writes);
  // The worker has run its last cluster.
  void leave(const void* worker);
  // Stops the run. If called several times, the first Error is kept.
  void stop(Error error);
  std::optional<Error> error();

 private:
  std::mutex mutex_;
  std::optional<Error> error_;
  std::map<const void*, std::uint64_t> still_;  // by worker
};

}  // namespace burin::emulate
