// What the requests of a replay found in the L2 cache, so that other replays of the same blocks
// need not look again: with other latencies or bandwidths a kernel finds almost the same there, and
// keeping up the contents for all SMs is most of a replay's work. It also keeps chance out of the
// comparison of the two.
//
//   FoundLines found;                              // of one window
//   found.put(job, position, line);                // while it is replayed
//   found.get(job, position)                       // when it is replayed with a change
#pragma once

#include <cstdint>
#include <vector>

namespace burin {

// What all SMs' versions of one line's request find in the L2 cache.
struct FoundLine {
  float missed = 0;     // sectors that the SM's own side did not have, all SMs
  float missing = 0;    // sectors to read from DRAM, all SMs
  float scattered = 0;  // of them, those without the other half of their line
  float written = 0;    // sectors to write back
  float partial = 0;    // of both, those that are read only to be written back whole
  float across = 0;     // requests from one partition to the other
  float pending = 0;    // cycles until the own line arrives, if it is under way
  bool own_miss = false;
  bool own_far = false;
};

class FoundLines {
 public:
  double dram_latency = 0;  // of the machine that it was recorded on: lines under way depend on it

  void put(std::uint32_t job, std::uint32_t line, const FoundLine& found) {
    if (jobs_.size() <= job) jobs_.resize(job + 1);
    std::vector<FoundLine>& lines = jobs_[job];
    if (lines.size() <= line) lines.resize(line + 1);
    lines[line] = found;
  }
  // What nobody asked for when it was recorded is there.
  FoundLine get(std::uint32_t job, std::uint32_t line) const {
    if (job >= jobs_.size() || line >= jobs_[job].size()) return {};
    return jobs_[job][line];
  }

 private:
  std::vector<std::vector<FoundLine>> jobs_;  // [of the window][position in BlockTrace::lines]
};

}  // namespace burin
