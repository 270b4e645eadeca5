// Executes blocks that synchronise with each other concurrently, as on a GPU: blocks that wait for
// a flag set by another block, retry when another block was faster, or take the next piece of work
// from a queue. Executed one after another, such blocks would never interact.
//
//   ConcurrentRun concurrent(session, code, machine, {.sms = 132, .resident = 8});
//   ConcurrentResult run = concurrent.run(blocks, builder);
//
// A latency-only clock determines whose turn it is: each warp issues as soon as its dependencies
// are ready, regardless of the rest of the SM. The exception is shared memory, where all warps of
// an SM share one queue. Memory operations take effect in the order of this clock. The end of the
// run is therefore also a lower bound: no GPU is faster, however wide.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulate/execute/cluster_runner.h"
#include "emulate/execute/session.h"
#include "machine/machine.h"
#include "timing/code/timed_code.h"
#include "timing/trace/line_clock.h"
#include "timing/trace/trace_builder.h"

namespace burin::timing {

// How the blocks of a kernel may synchronise with each other.
enum class InterBlockSync : std::uint8_t {
  kNone,
  kCounters,  // through counters that they add to and read
  kOwnBlock,  // only warps of the same block, through shared memory
  kAll,       // blocks wait for each other, or retry until they succeed
};
InterBlockSync inter_block_sync_of(const read::Kernel& kernel);

struct ConcurrentOptions {
  std::uint64_t sms = 1;
  std::uint64_t resident = 1;  // resident blocks per SM
  std::uint64_t traced = 0;    // number of the SM whose blocks are traced
  std::uint64_t most = 0;      // maximum warp instructions; beyond that, the run is abandoned
};

struct ConcurrentResult {
  bool complete = false;
  double cycles = 0;         // cycles until the last block ended
  std::vector<double> ends;  // end time of each block, in the order in which the blocks ended
  std::uint64_t executed = 0;
  std::vector<BlockTrace> traces;  // traces of the traced SM's blocks, in the order in which they
                                   // began
};

class ConcurrentRun {
 public:
  ConcurrentRun(emulate::Session& session, const std::vector<TimedOp>& code,
                const machine::Machine& machine, ConcurrentOptions options);
  // Dispatches the blocks in the given order. The launch must have no clusters.
  ConcurrentResult run(std::span<const std::uint64_t> blocks, TraceBuilder& builder);

 private:
  struct Resident;
  struct Runner {
    emulate::Warp* warp = nullptr;
    Resident* block = nullptr;
    double clock = 0;
    std::array<double, 6> boards{};  // when each scoreboard is released
    bool parked = false;
    bool touched = false;  // accessed global memory since its last fence
    // Polling: the load that the warp executed last, and how many times in a row.
    std::uint32_t polled = 0xffffffff;
    unsigned polls = 0;
    unsigned since = 0;  // steps since that load
  };
  struct Resident {
    std::unique_ptr<emulate::Cluster> cluster;
    std::vector<Runner> runners;
    std::size_t alive = 0;
    std::uint64_t sm = 0;
    std::size_t at = 0;  // position in residents_
  };
  struct Turn {
    double when = 0;
    std::uint64_t number = 0;  // sequence number; of two turns at the same time, the lower goes
                               // first
    Runner* runner = nullptr;
    bool operator>(const Turn& other) const {
      return when != other.when ? when > other.when : number > other.number;
    }
  };

  bool dispatch(std::uint64_t sm, double when);
  void enqueue(Runner& runner);
  static void expect(const Runner& runner);
  void take_turn(Runner& runner);
  void book(Runner& runner, const TimedOp& op, double at);
  bool is_far(const Runner& runner, std::uint64_t line) const;
  double load_end(const Runner& runner, double at) const;
  double atomic_end(const Runner& runner, double at);
  double shared_end(const Runner& runner, double at);
  bool watch(Runner& runner);
  void wake_watchers(const emulate::Warp& warp, double when);
  void release_others(Runner& runner);
  void end_block(Resident& block, double when);
  void stop_standstill();

  emulate::Session& session_;
  const std::vector<TimedOp>& code_;
  const machine::Machine& machine_;
  ConcurrentOptions options_;
  emulate::ClusterRunner quiet_;
  std::unique_ptr<emulate::ClusterRunner> heard_;
  TraceBuilder* builder_ = nullptr;
  emulate::Tally tally_;
  std::span<const std::uint64_t> blocks_;
  std::size_t next_ = 0;
  std::vector<std::unique_ptr<Resident>> residents_;
  std::vector<double> shared_free_;  // when each SM's shared memory accepts the next request
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::uint64_t numbered_ = 0;
  // When each line is free for the next atomic.
  LineClock lines_;
  std::unordered_map<std::uint64_t, std::vector<Runner*>> watchers_;  // keyed by line
  // The traced SM's blocks, in order of dispatch.
  std::vector<std::uint64_t> order_;
  ConcurrentResult result_;
};

}  // namespace burin::timing
