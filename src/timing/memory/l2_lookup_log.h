// A log of a replay's L2 lookups, so that further replays of the same blocks need not simulate the
// L2 contents again. With other latencies or bandwidths a kernel hits and misses almost alike, and
// the contents for all SMs are most of a replay's work. Equal lookups also make two replays
// comparable.
//
//   L2LookupLog log;                               // of one window
//   log.put(job, position, lookup);                // while it is replayed
//   log.get(job, position)                         // when it is replayed with a change
#pragma once

#include <cstdint>
#include <vector>

namespace burin::timing {

// The outcome of one line's request in the L2 cache, for all SMs' versions of it: L2Lookup, packed.
struct LoggedLookup {
  float missed = 0;     // sectors that the requester's own partition did not hold, all SMs
  float missing = 0;    // sectors to read from DRAM, all SMs
  float scattered = 0;  // of them, those without the other half of their line
  float written = 0;    // sectors to write back
  float partial = 0;    // of both, those that are read only to be written back whole
  float across = 0;     // requests from one partition to the other
  float pending = 0;    // cycles until the own line arrives, if it is under way
  bool own_miss = false;
  bool own_far = false;
};

class L2LookupLog {
 public:
  // Of the machine that it was recorded on: `pending` scales with it.
  double dram_latency = 0;

  void put(std::uint32_t job, std::uint32_t line, const LoggedLookup& lookup) {
    if (jobs_.size() <= job) jobs_.resize(job + 1);
    std::vector<LoggedLookup>& lines = jobs_[job];
    if (lines.size() <= line) lines.resize(line + 1);
    lines[line] = lookup;
  }
  // A line that was not requested when the log was recorded counts as a hit.
  LoggedLookup get(std::uint32_t job, std::uint32_t line) const {
    if (job >= jobs_.size() || line >= jobs_[job].size()) return {};
    return jobs_[job][line];
  }

 private:
  std::vector<std::vector<LoggedLookup>> jobs_;  // [of the window][position in BlockTrace::lines]
};

}  // namespace burin::timing
