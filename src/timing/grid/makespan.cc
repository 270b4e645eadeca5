#include "timing/grid/makespan.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "base/hash.h"
#include "timing/sm/block_places.h"

namespace burin::timing {

namespace {

// A pseudo-random number from 0 to 1, the same in every run.
double scattered(std::uint64_t number) {
  std::uint64_t x = fibonacci_hash(number + 1);
  x = (x ^ x >> 29) * kSplitmixMultiplier;
  return static_cast<double>(x >> 40) / static_cast<double>(1 << 24);
}

template <typename T>
using Soonest = std::priority_queue<T, std::vector<T>, std::greater<>>;

// The warps of one scheduler, oldest first.
struct SchedulerLane {
  struct Warp {
    double left = 0;   // remaining cycles at full speed
    double speed = 0;  // fraction of full speed
    std::size_t block = 0;
    bool unhindered = false;
  };
  std::vector<Warp> warps;
  std::size_t hindered = 0;  // warps
};

// The blocks on one SM.
class BusySm {
 public:
  explicit BusySm(const SmPace& share) : share_(&share), lanes_(share.schedulers) {}

  // Whether each scheduler has room for its warps, which are dealt out in turn.
  bool has_room(const BlockWork& work) const {
    return places_.has_room(work.warps.size(), lanes_.size(), share_->slots,
                            [&](std::size_t l) { return lanes_[l].warps.size(); });
  }
  void begin(const BlockWork& work, std::size_t block, double now) {
    pass(now);
    const std::size_t place = places_.take(work.warps.size(), lanes_.size());
    for (std::size_t w = 0; w < work.warps.size(); ++w) {
      const double pace =
          share_->pace *
          (1 + share_->spread * (2 * scattered(block * 64 + w + (share_->chance << 32)) - 1));
      const bool unhindered = work.cycles > 0;
      const double cycles = unhindered ? work.cycles : std::max(1.0, work.warps[w] * pace);
      SchedulerLane& to = lane(place + w);
      to.warps.push_back({.left = cycles, .block = block, .unhindered = unhindered});
      if (!unhindered) ++to.hindered;
    }
    running_ += work.warps.size();
    set_speeds();
  }
  // Returns the block of the warp that ends first.
  std::size_t end_first(double now) {
    pass(now);
    const std::size_t block = lanes_[soonest_].warps[soonest_warp_].block;
    if (!lanes_[soonest_].warps[soonest_warp_].unhindered) --lanes_[soonest_].hindered;
    lanes_[soonest_].warps.erase(lanes_[soonest_].warps.begin() +
                                 static_cast<std::ptrdiff_t>(soonest_warp_));
    --running_;
    set_speeds();
    return block;
  }
  bool empty() const { return running_ == 0; }
  double next_end() const { return next_end_; }

  std::queue<std::size_t> waiting;  // blocks without room

 private:
  SchedulerLane& lane(std::size_t place) { return lanes_[place % lanes_.size()]; }

  void pass(double now) {
    for (SchedulerLane& lane : lanes_) {
      for (SchedulerLane::Warp& warp : lane.warps) warp.left -= (now - at_) * warp.speed;
    }
    at_ = now;
  }
  // Each scheduler gives its cycles to its oldest block first, evenly over the warps of that block.
  // The SM's other limits slow all warps down equally.
  void set_speeds() {
    double asked = 0;  // demanded instructions per cycle
    for (const SchedulerLane& lane : lanes_) {
      asked += std::min(1.0, static_cast<double>(lane.hindered) / share_->pace);
    }
    const double share = asked > share_->rate ? share_->rate / asked : 1;
    next_end_ = 1e300;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      std::vector<SchedulerLane::Warp>& warps = lanes_[l].warps;
      double room = share_->pace;  // number of warps that can run at full speed
      for (std::size_t first = 0; first < warps.size();) {
        std::size_t end = first;
        while (end < warps.size() && warps[end].block == warps[first].block) ++end;
        const auto count = static_cast<double>(end - first);
        const bool unhindered = warps[first].unhindered;
        const double speed = unhindered ? 1 : std::clamp(room / count, 0.0, 1.0) * share;
        if (!unhindered) room -= std::min(room, count);
        for (; first < end; ++first) {
          warps[first].speed = speed;
          const double ends = at_ + std::max(0.0, warps[first].left) / std::max(speed, 1e-9);
          if (ends >= next_end_) continue;
          next_end_ = ends;
          soonest_ = l;
          soonest_warp_ = first;
        }
      }
    }
  }

  const SmPace* share_;
  std::vector<SchedulerLane> lanes_;
  BlockPlaces places_;
  std::size_t running_ = 0;
  double at_ = 0;
  double next_end_ = 1e300;  // end time of the next warp
  std::size_t soonest_ = 0;  // its lane
  std::size_t soonest_warp_ = 0;
};

class DealtGrid {
 public:
  DealtGrid(std::span<const BlockWork* const> works, const SmPace& share)
      : works_(works), share_(share), sms_(share.sms, BusySm(share)), versions_(share.sms) {
    for (const BlockWork* work : works) running_.push_back(work->warps.size());
  }

  GridEnd run() {
    GridEnd grid;
    grid.first_idle = works_.size() < sms_.size() ? 0 : -1;
    std::vector<std::uint64_t> due(sms_.size());  // blocks of each SM, started or due to start
    for (const std::size_t sm : deal(works_.size(), share_)) {
      begin_at(sm, static_cast<double>(due[sm]++) * share_.sm_gap);
    }
    std::vector<double> last_reported(sms_.size(),
                                      -1e300);  // when each SM last reported a completion
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      BusySm& sm = sms_[event.sm];
      switch (event.kind) {
        case Event::kBegin:
          sm.waiting.push(event.number);
          break;
        case Event::kWarpEnd: {
          if (event.number != versions_[event.sm])
            continue;  // outdated: other blocks started since
          if (--running_[sm.end_first(event.when)] > 0) break;
          grid.end = event.when;
          grid.mean_end += event.when / static_cast<double>(works_.size());
          if (next_ == works_.size() && --due[event.sm] == 0 && grid.first_idle < 0) {
            grid.first_idle = event.when;
          }
          last_reported[event.sm] = std::max(event.when, last_reported[event.sm] + share_.sm_gap);
          events_.push({last_reported[event.sm], event.sm, 0, Event::kTold});
          break;
        }
        case Event::kTold:
          noted_ = std::max(event.when, noted_ + share_.gap);
          begin_at(event.sm, noted_ + share_.latency);
          continue;
      }
      while (!sm.waiting.empty() && sm.has_room(*works_[sm.waiting.front()])) {
        sm.begin(*works_[sm.waiting.front()], sm.waiting.front(), event.when);
        sm.waiting.pop();
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
    std::uint64_t number = 0;  // start: the block; end: the version of the SM
    Kind kind = kBegin;
    bool operator>(const Event& other) const { return when > other.when; }
  };

  void begin_at(std::size_t sm, double when) {
    while (next_ < works_.size() && works_[next_]->warps.empty()) ++next_;
    if (next_ < works_.size()) events_.push({when + share_.start, sm, next_++, Event::kBegin});
  }

  std::span<const BlockWork* const> works_;
  const SmPace& share_;
  std::vector<BusySm> sms_;
  std::vector<std::uint64_t> versions_;
  std::vector<std::size_t> running_;  // running warps of each block
  Soonest<Event> events_;
  std::size_t next_ = 0;  // block
  double noted_ = -1e300;
};

}  // namespace

std::vector<std::size_t> deal(std::size_t blocks, const SmPace& share) {
  const std::uint64_t even = std::min<std::uint64_t>(share.resident, blocks / share.sms);
  const std::uint64_t others = share.sms - share.apart;
  std::vector<std::size_t> dealt;
  dealt.reserve(std::min<std::size_t>(blocks, share.sms * share.resident));
  std::uint64_t turns = 0;  // turns of the separate group
  std::uint64_t given = 0;  // blocks given to the other SMs
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

}  // namespace burin::timing
