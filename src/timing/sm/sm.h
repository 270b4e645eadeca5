// Simulates one SM cycle by cycle: blocks arrive, four schedulers issue from their warps, and the
// units and memory accept what is issued to them. Cycles without an event are skipped: each
// scheduler advances from issue to issue.
//
//   Sm sm(machines, code, memory, account, options);
//   SmRun run = sm.run(jobs);
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "timing/code/machine_of.h"
#include "timing/code/timed_code.h"
#include "timing/memory/memory_system.h"
#include "timing/sm/account.h"
#include "timing/sm/path_step.h"
#include "timing/sm/timeline_recorder.h"
#include "timing/trace/block_job.h"

namespace burin::timing {

struct SmOptions {
  unsigned resident = 1;      // maximum resident blocks
  double first_dispatch = 0;  // earliest cycle at which the first block may start
  double dispatch_step = 0;   // cycles between two block completions, at the rate of the whole
                              // GPU
  bool cold = true;           // the launch begins: no block has run, nothing is cached yet
  bool code_cached = false;   // … yet instructions and constants are
  // … but for the launch's parameters, from this line of the constant cache on.
  std::optional<std::uint32_t> fresh_parameters{};
  bool attribute_stalls = true;  // record where warp-cycles go; otherwise only times are computed
  PathSteps* path = nullptr;     // receives a step for each issue, in issue order
  TimelineRecorder* timeline = nullptr;             // receives what is attributed, warp by warp
  std::function<void(std::size_t)> before_block{};  // called before the job of this index starts
};

struct BlockTimes {
  double begin = 0;
  double end = 0;
  double drained = 0;       // when its stores are done too, and its completion is registered
  double weighted_end = 0;  // `end`, including everything the replayed steps represent; see
                            // SmRun::weighted
};

struct SmRun {
  std::vector<BlockTimes> blocks;
  double end = 0;  // end of the last block, including its stores
  // `end`, including everything the replayed steps represent: each short time interval is scaled by
  // the mean weight of the steps issued in it.
  double weighted = 0;
  // An end time that follows `weighted` but is less noisy: where many blocks follow one another,
  // twice the mean time of all issues; else the mean end of the last blocks, as many as reside.
  double smooth_end = 0;
  std::uint64_t replayed = 0;  // number of replayed steps
  // Weighted cycles from each warp's start to its end; equals the sum of the account's issues and
  // stalls.
  double warp_cycles = 0;
  std::array<double, machine::kResources>
      busy{};                  // weighted busy cycles; mean over schedulers for per-scheduler units
  std::uint64_t released = 0;  // warps released from a wait that never ended; should be 0
};

class Sm {
 public:
  Sm(const MachineOf& machines, const std::vector<TimedOp>& code, MemorySystem& memory,
     Account& account, SmOptions options);
  ~Sm();

  SmRun run(std::span<const BlockJob> jobs);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace burin::timing
