// Blocks that mind each other, executed side by side as on a GPU: they wait for a flag that another
// sets, try again where another was quicker, or take the next piece of work from a queue. Run one
// after the other, they would never meet.
//
//   ConcurrentRun together(session, code, machine, {.sms = 132, .resident = 8});
//   ConcurrentResult run = together.run(blocks, builder);
//
// A clock of latencies tells whose turn it is: each warp issues when what it waits for is there,
// whatever else the SM does, but for shared memory, where all warps of an SM stand in one line.
// What warps do to memory happens in the order of that clock, so that the run's end is at the same
// time a bound: no GPU is quicker, however wide.
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

// How the blocks of a kernel may mind each other.
enum class InterBlockSync : std::uint8_t {
  kNone,
  kCounters,  // by counters that they add to and read
  kOwnBlock,  // only the warps of a block, in shared memory
  kAll,       // they wait for each other, or try until they succeed
};
InterBlockSync inter_block_sync_of(const read::Kernel& kernel);

struct ConcurrentOptions {
  std::uint64_t sms = 1;
  std::uint64_t resident = 1;  // blocks on each at a time
  std::uint64_t traced = 0;    // the SM whose blocks are traced
  std::uint64_t most = 0;      // warp instructions; then it is given up
};

struct ConcurrentResult {
  bool complete = false;
  double cycles = 0;         // until the last block ended
  std::vector<double> ends;  // of the blocks, in the order in which they ended
  std::uint64_t executed = 0;
  std::vector<BlockTrace> traces;  // of the traced SM's blocks, in the order in which they began
};

class ConcurrentRun {
 public:
  ConcurrentRun(emulate::Session& session, const std::vector<TimedOp>& code,
                const machine::Machine& machine, ConcurrentOptions options);
  // Dispatches the blocks in this order. The launch has no clusters.
  ConcurrentResult run(std::span<const std::uint64_t> blocks, TraceBuilder& builder);

 private:
  struct Resident;
  struct Runner {
    emulate::Warp* warp = nullptr;
    Resident* block = nullptr;
    double clock = 0;
    std::array<double, 6> boards{};  // when each scoreboard is free
    bool parked = false;
    bool touched = false;  // global memory, since its last fence
    // Polls: the load that the warp came to last, and how often in a row.
    std::uint32_t polled = 0xffffffff;
    unsigned polls = 0;
    unsigned since = 0;  // steps since then
  };
  struct Resident {
    std::unique_ptr<emulate::Cluster> cluster;
    std::vector<Runner> runners;
    std::size_t alive = 0;
    std::uint64_t sm = 0;
    std::size_t at = 0;  // in residents_
  };
  struct Turn {
    double when = 0;
    std::uint64_t number = 0;  // of two at the same time the one that came first
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
  std::vector<double> shared_free_;  // when each SM's shared memory takes the next request
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::uint64_t numbered_ = 0;
  LineClock lines_;                                                   // of atomics
  std::unordered_map<std::uint64_t, std::vector<Runner*>> watchers_;  // by line
  std::vector<std::uint64_t> order_;                                  // of the traced SM's blocks
  ConcurrentResult result_;
};

}  // namespace burin::timing
