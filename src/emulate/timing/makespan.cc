#include "emulate/timing/makespan.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "emulate/timing/block_places.h"

namespace burin {

namespace {

// 0 … 1, any and always the same.
double scattered(std::uint64_t number) {
  std::uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return static_cast<double>(x >> 40) / static_cast<double>(1 << 24);
}

template <typename T>
using Soonest = std::priority_queue<T, std::vector<T>, std::greater<>>;

// The warps of one scheduler. All are slowed down alike, so on a clock that is slowed down with
// them each ends when it would end alone.
struct SchedulerLane {
  using Warp = std::pair<double, std::size_t>;  // its end on that clock, its block
  Soonest<Warp> warps;
  double clock = 0;
  double speed = 1;
};

// The blocks on one SM.
class BusySm {
 public:
  explicit BusySm(const SmPace& share) : share_(&share), lanes_(share.schedulers) {}

  // Returns its place: the scheduler of its first warp.
  std::size_t begin(const BlockWork& work, std::size_t block, double now) {
    pass(now);
    const std::size_t place = places_.take(work.warps.size(), lanes_.size());
    for (std::size_t w = 0; w < work.warps.size(); ++w) {
      SchedulerLane& lane = lanes_[(place + w) % lanes_.size()];
      const double pace =
          share_->pace *
          (1 + share_->spread * (2 * scattered(block * 64 + w + (share_->chance << 32)) - 1));
      lane.warps.emplace(lane.clock + std::max(1.0, work.warps[w] * pace), block);
    }
    running_ += work.warps.size();
    set_speeds();
    return place;
  }
  // The block of the warp that ends first.
  std::size_t end_first(double now) {
    pass(now);
    SchedulerLane& lane = *soonest();
    const std::size_t block = lane.warps.top().second;
    lane.warps.pop();
    --running_;
    set_speeds();
    return block;
  }
  // A block has ended: the next one takes its place.
  void leave(std::size_t place) { places_.leave(place); }
  bool empty() const { return running_ == 0; }
  double next_end() { return end_in(*soonest()); }

 private:
  double end_in(const SchedulerLane& lane) const {
    return lane.warps.empty() ? 1e300 : at_ + (lane.warps.top().first - lane.clock) / lane.speed;
  }
  std::vector<SchedulerLane>::iterator soonest() {
    return std::ranges::min_element(lanes_, {},
                                    [&](const SchedulerLane& lane) { return end_in(lane); });
  }
  void pass(double now) {
    for (SchedulerLane& lane : lanes_) lane.clock += (now - at_) * lane.speed;
    at_ = now;
  }
  void set_speeds() {
    double asked = 0;  // instructions per cycle
    for (SchedulerLane& lane : lanes_) {
      const double alone = static_cast<double>(lane.warps.size()) / share_->pace;
      lane.speed = alone > 1 ? 1 / alone : 1;
      asked += std::min(alone, 1.0);
    }
    if (asked <= share_->rate) return;
    for (SchedulerLane& lane : lanes_) lane.speed *= share_->rate / asked;
  }

  const SmPace* share_;
  std::vector<SchedulerLane> lanes_;
  BlockPlaces places_;
  std::size_t running_ = 0;
  double at_ = 0;
};

class DealtGrid {
 public:
  DealtGrid(std::span<const BlockWork* const> works, const SmPace& share)
      : works_(works), share_(share), sms_(share.sms, BusySm(share)), versions_(share.sms) {
    for (const BlockWork* work : works) running_.push_back({.warps = work->warps.size()});
  }

  GridEnd run() {
    GridEnd grid;
    grid.first_idle = works_.size() < sms_.size() ? 0 : -1;
    std::vector<std::uint64_t> due(sms_.size());  // blocks of each SM, begun or to begin
    for (const std::size_t sm : deal(works_.size(), share_)) {
      begin_at(sm, static_cast<double>(due[sm]++) * share_.sm_gap);
    }
    std::vector<double> told(sms_.size(), -1e300);  // when each SM last told of an end
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      BusySm& sm = sms_[event.sm];
      switch (event.kind) {
        case Event::kBegin:
          running_[event.number].place = sm.begin(*works_[event.number], event.number, event.when);
          break;
        case Event::kWarpEnd: {
          if (event.number != versions_[event.sm]) continue;  // others have begun since
          RunningBlock& block = running_[sm.end_first(event.when)];
          if (--block.warps > 0) break;
          sm.leave(block.place);
          grid.end = event.when;
          grid.mean_end += event.when / static_cast<double>(works_.size());
          if (next_ == works_.size() && --due[event.sm] == 0 && grid.first_idle < 0) {
            grid.first_idle = event.when;
          }
          told[event.sm] = std::max(event.when, told[event.sm] + share_.sm_gap);
          events_.push({told[event.sm], event.sm, 0, Event::kTold});
          break;
        }
        case Event::kTold:
          noted_ = std::max(event.when, noted_ + share_.gap);
          begin_at(event.sm, noted_ + share_.latency);
          continue;
      }
      const std::uint64_t version = ++versions_[event.sm];
      if (!sm.empty()) events_.push({sm.next_end(), event.sm, version, Event::kWarpEnd});
    }
    return grid;
  }

 private:
  struct Event {
    enum Kind { kBegin, kWarpEnd, kTold };
    double when = 0;
    std::size_t sm = 0;
    std::uint64_t number = 0;  // the block that begins; of an end, the SM's version it holds for
    Kind kind = kBegin;
    bool operator>(const Event& other) const { return when > other.when; }
  };

  struct RunningBlock {
    std::size_t warps = 0;  // that have not ended
    std::size_t place = 0;
  };

  void begin_at(std::size_t sm, double when) {
    while (next_ < works_.size() && works_[next_]->warps.empty()) ++next_;
    if (next_ < works_.size()) events_.push({when + share_.start, sm, next_++, Event::kBegin});
  }

  std::span<const BlockWork* const> works_;
  const SmPace& share_;
  std::vector<BusySm> sms_;
  std::vector<std::uint64_t> versions_;
  std::vector<RunningBlock> running_;
  Soonest<Event> events_;
  std::size_t next_ = 0;  // block
  double noted_ = -1e300;
};

}  // namespace

BlockWork work_of_warps(std::vector<double> warps) {
  BlockWork work;
  work.steps = std::accumulate(warps.begin(), warps.end(), 0.0);
  work.longest = warps.empty() ? 0 : std::ranges::max(warps);
  work.warps = std::move(warps);
  return work;
}

std::vector<std::size_t> deal(std::size_t blocks, const SmPace& share) {
  const std::uint64_t even = std::min<std::uint64_t>(share.resident, blocks / share.sms);
  const std::uint64_t others = share.sms - share.apart;
  std::vector<std::size_t> dealt;
  dealt.reserve(std::min<std::size_t>(blocks, share.sms * share.resident));
  std::uint64_t turns = 0;  // of those apart
  std::uint64_t given = 0;  // blocks to the others
  while (dealt.size() < even * share.sms) {
    const bool over = given == even * others;
    if (turns < even && (over || given >= turns * share.turn)) {
      for (std::size_t sm = 0; sm < share.apart; ++sm) dealt.push_back(sm);
      ++turns;
    } else {
      dealt.push_back(share.apart + given++ % others);
    }
  }
  const std::size_t room = std::min<std::size_t>(blocks, share.sms * share.resident);
  for (std::size_t sm = 0; dealt.size() < room; ++sm) dealt.push_back(sm % share.sms);
  return dealt;
}

GridEnd makespan(std::span<const BlockWork* const> works, const SmPace& share) {
  return DealtGrid(works, share).run();
}

}  // namespace burin
