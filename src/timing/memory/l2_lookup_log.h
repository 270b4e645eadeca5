// A log of a replay's L2 lookups, so that later replays of the same blocks need not simulate the L2
// contents again. Changing latencies or bandwidths hardly changes which requests hit, and
// simulating the contents for all SMs is most of the cost of a replay. Identical lookups also make
// two replays comparable.
//
//   L2LookupLog log;                               // for one window
//   log.put(job, position, lookup);                // while the window is replayed
//   log.get(job, position)                         // when it is replayed with a change
#pragma once

#include <cstdint>
#include <vector>

namespace burin::timing {

// The outcome of one line's request in the L2 cache, summed over all SMs: L2Lookup in packed form.
struct LoggedLookup {
  float missed = 0;     // sectors absent from the requester's own partition, all SMs
  float missing = 0;    // sectors to read from DRAM, all SMs
  float scattered = 0;  // sectors of `missing` whose line's other half is not read
  float written = 0;    // sectors to write back
  float partial = 0;    // sectors of `missing` and `written` that are read only so that they can be
                        // written back whole
  float across = 0;     // requests from one partition to the other
  float pending = 0;    // cycles until this SM's line arrives, if it is in flight
  bool own_miss = false;
  bool own_far = false;
};

class L2LookupLog {
 public:
  // DRAM latency of the machine the log was recorded on; `pending` scales with it.
  double dram_latency = 0;

  void put(std::uint32_t job, std::uint32_t line, const LoggedLookup& lookup) {
    if (jobs_.size() <= job) jobs_.resize(job + 1);
    std::vector<LoggedLookup>& lines = jobs_[job];
    if (lines.size() <= line) lines.resize(line + 1);
    lines[line] = lookup;
  }
  // Returns the logged lookup. A line that was not requested during recording counts as a hit.
  LoggedLookup get(std::uint32_t job, std::uint32_t line) const {
    if (job >= jobs_.size() || line >= jobs_[job].size()) return {};
    return jobs_[job][line];
  }

 private:
  std::vector<std::vector<LoggedLookup>> jobs_;  // [job][position in BlockTrace::lines]
};

}  // namespace burin::timing
