#include "timing/saake/abstract_emulation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace burin::timing {
namespace {

constexpr double kNotYet = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNone = 0xffffffff;

struct WarpState {
  std::uint32_t next = 0;          // instruction
  std::uint32_t next_meeting = 0;  // in AbstractWarp::meetings
  double latest = 0;               // time at which everything it has issued is finished
};

struct MeetingState {
  std::uint32_t missing = 0;  // arrivals
  double time = 0;
  std::vector<std::uint32_t> waiting;  // warps
};

// When a warp's next instruction can issue: ordered by the longest ready, then by warp number.
using Ready = std::pair<double, std::uint32_t>;

struct IssueQueue {
  double clock = 0;
  std::uint32_t current = kNone;  // the warp of the last issue, while that is ready
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> others;

  double next_issue() const {
    if (current != kNone) return clock;
    return others.empty() ? kNotYet : std::max(clock, std::ceil(others.top().first));
  }
};

class Emulation {
 public:
  explicit Emulation(const AbstractProgram& program)
      : program_(program),
        warps_(program.warps.size()),
        schedulers_(std::max(1u, program.schedulers)) {
    number_units();
    times_.busy.resize(program.resources.size());
    times_.utilization.resize(program.resources.size());
    last_start_.assign(program.resources.size() * schedulers_.size(), -kNotYet);
    for (std::uint32_t w = 0; w < program.warps.size(); ++w) {
      const AbstractWarp& warp = program.warps[w];
      times_.issued.emplace_back(warp.instructions.size());
      times_.finished.emplace_back(warp.instructions.size());
      times_.meeting_at.emplace_back(warp.meetings.size());
      for (const AbstractMeeting& m : warp.meetings) {
        if (m.meeting >= meetings_.size()) meetings_.resize(m.meeting + 1);
        if (m.arrives) ++meetings_[m.meeting].missing;
      }
      if (!warp.instructions.empty()) scheduler_of(w).others.emplace(0, w);
    }
  }

  AbstractTimes run() {
    for (;;) {
      const auto next = std::ranges::min_element(schedulers_, {}, &IssueQueue::next_issue);
      const double at = next->next_issue();
      if (at == kNotYet) break;
      next->clock = at;
      if (next->current == kNone) {
        next->current = next->others.top().second;
        next->others.pop();
      }
      step(*next);
    }
    return std::move(times_);
  }

 private:
  IssueQueue& scheduler_of(std::uint32_t warp) { return schedulers_[warp % schedulers_.size()]; }

  void number_units() {
    std::uint32_t units = 0;
    for (const AbstractResource& r : program_.resources) {
      if (r.unit != AbstractResource::kOwnUnit) units = std::max(units, r.unit + 1);
    }
    for (const AbstractResource& r : program_.resources) {
      unit_of_.push_back(r.unit != AbstractResource::kOwnUnit ? r.unit : units++);
    }
    admit_.assign(std::size_t{units} * schedulers_.size(), -kNotYet);
  }

  void step(IssueQueue& scheduler) {
    const std::uint32_t w = std::exchange(scheduler.current, kNone);
    issue(w, scheduler.clock);
    scheduler.clock += 1;
    const double ready = come_to_next(w);
    if (ready == kNotYet) return;
    if (ready <= scheduler.clock) {
      scheduler.current = w;
    } else {
      scheduler.others.emplace(ready, w);
    }
  }

  void issue(std::uint32_t w, double now) {
    WarpState& state = warps_[w];
    const AbstractInstruction& instruction = program_.warps[w].instructions[state.next];
    const AbstractResource& resource = program_.resources[instruction.resource];
    const std::size_t copy = resource.per_scheduler ? w % schedulers_.size() : 0;
    double& admit = admit_[unit_of_[instruction.resource] * schedulers_.size() + copy];
    double& last_start = last_start_[instruction.resource * schedulers_.size() + copy];

    assert(instruction.requests > 0);
    const double start = std::max(now, admit);
    const double taken = resource.gap * instruction.requests;
    const double finish = start + taken - resource.gap + resource.latency;
    admit = start + taken;
    times_.busy[instruction.resource] += taken;
    times_.utilization[instruction.resource] += std::min(now - last_start, resource.latency);
    last_start = now;
    times_.issued[w][state.next] = now;
    times_.finished[w][state.next] = finish;
    times_.cycles = std::max(times_.cycles, finish);
    state.latest = std::max(state.latest, finish);
    arrive(w, state.next);
    ++state.next;
  }

  void arrive(std::uint32_t w, std::uint32_t instruction) {
    const std::vector<AbstractMeeting>& all = program_.warps[w].meetings;
    for (std::size_t k = warps_[w].next_meeting;
         k < all.size() && all[k].instruction == instruction; ++k) {
      if (!all[k].arrives) continue;
      MeetingState& meeting = meetings_[all[k].meeting];
      meeting.time = std::max(meeting.time, warps_[w].latest);
      if (--meeting.missing > 0) continue;
      for (const std::uint32_t waiting : std::exchange(meeting.waiting, {})) {
        const double ready = come_to_next(waiting);
        if (ready != kNotYet) scheduler_of(waiting).others.emplace(ready, waiting);
      }
    }
  }

  // When the warp's next instruction can issue. Never if it has none, or if a meeting is not
  // complete; the warp is then woken when it is.
  double come_to_next(std::uint32_t w) {
    WarpState& state = warps_[w];
    const AbstractWarp& warp = program_.warps[w];
    double ready = 0;
    std::size_t passed = state.next_meeting;
    for (; passed < warp.meetings.size() && warp.meetings[passed].instruction < state.next;
         ++passed) {
      if (!warp.meetings[passed].waits) continue;
      MeetingState& meeting = meetings_[warp.meetings[passed].meeting];
      if (meeting.missing > 0) {
        meeting.waiting.push_back(w);
        return kNotYet;
      }
      times_.meeting_at[w][passed] = meeting.time;
      ready = std::max(ready, meeting.time);
    }
    state.next_meeting = static_cast<std::uint32_t>(passed);
    if (state.next == warp.instructions.size()) return kNotYet;
    const AbstractInstruction& instruction = warp.instructions[state.next];
    for (std::uint32_t k = 0; k < instruction.predecessors; ++k) {
      const std::uint32_t p = warp.predecessors[instruction.first_predecessor + k];
      ready = std::max(ready, times_.finished[w][p]);
    }
    return ready;
  }

  const AbstractProgram& program_;
  std::vector<WarpState> warps_;
  std::vector<IssueQueue> schedulers_;
  std::vector<MeetingState> meetings_;
  std::vector<std::uint32_t> unit_of_;  // per resource
  std::vector<double> admit_;           // [unit][scheduler]: when it takes the next request
  std::vector<double> last_start_;      // [resource][scheduler]
  AbstractTimes times_;
};

}  // namespace

std::uint32_t AbstractWarp::add(std::uint32_t resource, std::span<const std::uint32_t> needs,
                                std::uint32_t requests) {
  instructions.push_back({resource, requests, static_cast<std::uint32_t>(predecessors.size()),
                          static_cast<std::uint32_t>(needs.size())});
  predecessors.insert(predecessors.end(), needs.begin(), needs.end());
  return static_cast<std::uint32_t>(instructions.size() - 1);
}

AbstractTimes emulate_abstractly(const AbstractProgram& program) {
  return Emulation(program).run();
}

}  // namespace burin::timing
