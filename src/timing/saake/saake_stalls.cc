#include "timing/saake/saake_stalls.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace burin::timing {
namespace {

class Accounting {
 public:
  Accounting(const SaakeProgram& program, const AbstractTimes& times, Prediction& to)
      : program_(program), times_(times), to_(to), issues_(program.abstract.schedulers) {
    for (std::size_t w = 0; w < times.issued.size(); ++w) {
      std::vector<double>& all = issues_[w % issues_.size()];
      all.insert(all.end(), times.issued[w].begin(), times.issued[w].end());
    }
    for (std::vector<double>& all : issues_) std::ranges::sort(all);
  }

  void account() {
    for (std::size_t w = 0; w < times_.issued.size(); ++w) {
      if (!times_.issued[w].empty()) account_warp(w);
    }
    for (const auto& [key, blame] : blames_) to_.blames.push_back(blame);
    std::ranges::sort(to_.blames, [](const Blame& a, const Blame& b) {
      if (a.cycles.sum() != b.cycles.sum()) return a.cycles.sum() > b.cycles.sum();
      return std::pair(a.waits, a.cause) < std::pair(b.waits, b.cause);
    });
  }

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};

  // What the warp waits for before its instruction `i`.
  struct Wait {
    double until = 0;
    std::size_t cause = kNobody;  // an earlier instruction of the warp
    launch::Stall stall = launch::Stall::kWait;
  };

  void account_warp(std::size_t w) {
    const AbstractWarp& warp = program_.abstract.warps[w];
    const SaakeProgram::Source& source = program_.sources[w];
    const std::vector<TraceStep>& steps = source.trace->warps[source.warp];
    std::size_t meeting = 0;
    double now = 0;
    double latest = 0;
    for (std::size_t i = 0; i < warp.instructions.size(); ++i) {
      const double issue = times_.issued[w][i];
      const Wait wait = wait_before(w, i, meeting);
      const double ready = std::clamp(std::ceil(wait.until), now, issue);
      const std::uint32_t at = steps[i].instruction;
      double spent = 1;
      if (ready > now) {
        spent += add(at, wait.stall, w, now, ready,
                     wait.cause == kNobody ? read::kNoIndex : steps[wait.cause].instruction);
      }
      if (issue > ready)
        spent += add(at, launch::Stall::kNotSelected, w, ready, issue, read::kNoIndex);
      if (steps[i].unknown != 0) to_.costs[at].unknown += spent;
      to_.issued += 1;
      to_.warp_cycles += 1;
      now = issue + 1;
      latest = std::max(latest, times_.finished[w][i]);
    }
    if (std::ceil(latest) > now) {
      add(steps[warp.instructions.size() - 1].instruction, launch::Stall::kDrain, w, now,
          std::ceil(latest), read::kNoIndex);
    }
  }

  Wait wait_before(std::size_t w, std::size_t i, std::size_t& meeting) const {
    const AbstractWarp& warp = program_.abstract.warps[w];
    Wait wait;
    for (; meeting < warp.meetings.size() && warp.meetings[meeting].instruction < i; ++meeting) {
      if (!warp.meetings[meeting].waits || times_.meeting_at[w][meeting] <= wait.until) continue;
      wait = {times_.meeting_at[w][meeting], warp.meetings[meeting].instruction,
              launch::Stall::kBarrier};
    }
    const AbstractInstruction& instruction = warp.instructions[i];
    for (std::uint32_t k = 0; k < instruction.predecessors; ++k) {
      const std::uint32_t p = warp.predecessors[instruction.first_predecessor + k];
      if (times_.finished[w][p] <= wait.until) continue;
      wait = {times_.finished[w][p], p, saake_stall(warp.instructions[p].resource)};
    }
    return wait;
  }

  // Returns the warp-cycles from `from` to `to`.
  double add(std::uint32_t waits, launch::Stall stall, std::size_t w, double from, double to,
             std::uint32_t cause) {
    const std::vector<double>& issues = issues_[w % issues_.size()];
    const auto first = std::ranges::lower_bound(issues, from);
    const auto last = std::lower_bound(first, issues.end(), to);
    const auto active = static_cast<double>(last - first);
    const launch::StallCycles cycles{active, to - from - active};
    const auto reason = static_cast<std::size_t>(stall);
    to_.stalls[reason] += cycles;
    to_.costs[waits].stalls[reason] += cycles;
    to_.warp_cycles += to - from;
    if (cause != read::kNoIndex) {
      const std::uint64_t pair = std::uint64_t{cause} * to_.costs.size() + waits;
      Blame& blame = blames_[pair * launch::kStalls + reason];
      blame.cause = cause;
      blame.waits = waits;
      blame.stall = stall;
      blame.cycles += cycles;
    }
    return to - from;
  }

  const SaakeProgram& program_;
  const AbstractTimes& times_;
  Prediction& to_;
  std::vector<std::vector<double>> issues_;  // per scheduler: when it issued, in order
  std::unordered_map<std::uint64_t, Blame> blames_;
};

}  // namespace

void account_saake(const SaakeProgram& program, const AbstractTimes& times,
                   Prediction& prediction) {
  Accounting(program, times, prediction).account();
}

}  // namespace burin::timing
