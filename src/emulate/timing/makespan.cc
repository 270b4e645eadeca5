#include "emulate/timing/makespan.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

namespace burin {

namespace {

// 0 … 1, any and always the same.
double scattered(std::size_t number) {
  std::uint64_t x = number * 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return static_cast<double>(x >> 40) / static_cast<double>(1 << 24);
}

// The blocks on one SM. All are slowed down alike, so on a clock that is slowed down with them each
// ends when it would end alone.
class BusySm {
 public:
  void begin(const BlockWork& work, std::size_t number, double now, const SmPace& share) {
    pass(now);
    const double pace = share.pace * (1 + share.spread * (2 * scattered(number) - 1));
    const double alone = std::max(1.0, work.longest * pace);
    blocks_.push({clock_ + alone, work.steps / alone});
    asked_ += work.steps / alone;
    set_speed(share);
  }
  void end_first(double now, const SmPace& share) {
    pass(now);
    asked_ -= blocks_.top().asks;
    blocks_.pop();
    set_speed(share);
  }
  bool empty() const { return blocks_.empty(); }
  double next_end() const { return at_ + (blocks_.top().end - clock_) / speed_; }

 private:
  struct Block {
    double end = 0;   // on the slowed clock
    double asks = 0;  // instructions per cycle
    bool operator>(const Block& other) const { return end > other.end; }
  };

  void pass(double now) {
    clock_ += (now - at_) * speed_;
    at_ = now;
  }
  void set_speed(const SmPace& share) { speed_ = asked_ > share.rate ? share.rate / asked_ : 1; }

  std::priority_queue<Block, std::vector<Block>, std::greater<>> blocks_;
  double at_ = 0;
  double clock_ = 0;
  double speed_ = 1;
  double asked_ = 0;
};

}  // namespace

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

GridEnd makespan(std::span<const BlockWork> works, const SmPace& share) {
  std::vector<BusySm> sms(share.sms);
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::size_t next = 0;
  for (const std::size_t sm : deal(works.size(), share)) {
    sms[sm].begin(works[next], next, 0, share);
    ++next;
  }
  for (std::size_t sm = 0; sm < sms.size(); ++sm) {
    if (!sms[sm].empty()) ends.emplace(sms[sm].next_end(), sm);
  }
  GridEnd grid;
  grid.first_idle = works.size() < sms.size() ? 0 : -1;
  while (!ends.empty()) {
    const auto [now, sm] = ends.top();
    ends.pop();
    grid.end = now;
    sms[sm].end_first(now, share);
    if (next < works.size()) {
      sms[sm].begin(works[next], next, now, share);
      ++next;
    }
    if (!sms[sm].empty()) {
      ends.emplace(sms[sm].next_end(), sm);
    } else if (grid.first_idle < 0) {
      grid.first_idle = now;
    }
  }
  return grid;
}

}  // namespace burin
