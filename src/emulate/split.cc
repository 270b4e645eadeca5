#include "emulate/split.h"

#include <algorithm>
#include <cassert>

namespace burin {

namespace {

Mask lanes_at(const Warp& warp, Split::State state, std::uint8_t target) {
  Mask lanes = 0;
  for (const Split& s : warp.splits)
    if (s.state == state && s.target == target) lanes |= s.lanes;
  return lanes;
}

// The splits that `choose` picks go on behind the instruction they wait at; those at one place
// become one.
template <typename Choose>
void release(Warp& warp, Choose choose) {
  std::vector<Split>& splits = warp.splits;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (!choose(splits[i])) continue;
    for (std::size_t k = splits.size(); k-- > i + 1;) {
      if (!choose(splits[k]) || splits[k].pc != splits[i].pc) continue;
      splits[i].lanes |= splits[k].lanes;
      splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(k));
      if (warp.current == k) {
        warp.current = static_cast<std::uint32_t>(i);
      } else if (warp.current > k) {
        --warp.current;
      }
    }
    splits[i].state = Split::State::kReady;
    ++splits[i].pc;
  }
}

}  // namespace

void part(Warp& warp, Mask lanes, std::uint32_t pc) {
  Split& here = warp.splits[warp.current];
  assert((here.lanes & lanes) == lanes && here.lanes != lanes && lanes != 0);
  Split away = here;
  away.lanes = lanes;
  away.pc = pc;
  here.lanes &= ~lanes;
  warp.splits.push_back(std::move(away));
}

void isolate(Warp& warp) {
  if (warp.exec != warp.active) part(warp, warp.active & ~warp.exec, warp.pc + 1);
}

void settle(Warp& warp) {
  for (std::uint8_t b = 0; b < kConvergenceBarriers; ++b) {
    const Mask waiting = lanes_at(warp, Split::State::kConverging, b);
    if (waiting == 0 || (warp.convergence[b] & warp.live & ~waiting) != 0) continue;
    release(warp,
            [b](const Split& s) { return s.state == Split::State::kConverging && s.target == b; });
  }
  // A WARPSYNC names its lanes itself: each waits for those of its own mask.
  Mask gathered = 0;
  for (const Split& s : warp.splits)
    if (s.state == Split::State::kGathering) gathered |= s.lanes;
  if (gathered == 0) return;
  const auto complete = [&](const Split& s) {
    return s.state == Split::State::kGathering && (s.mask & warp.live & ~gathered) == 0;
  };
  release(warp, complete);
}

void end_lanes(Warp& warp, Mask lanes) {
  warp.live &= ~lanes;
  for (Mask& b : warp.convergence) b &= ~lanes;
  for (std::size_t i = warp.splits.size(); i-- > 0;) {
    warp.splits[i].lanes &= ~lanes;
    if (warp.splits[i].lanes != 0) continue;
    warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(i));
    if (warp.current > i) --warp.current;
  }
  if (warp.current >= warp.splits.size()) warp.current = 0;  // the one that ran was the last
  settle(warp);
}

bool next_split(Warp& warp) {
  const std::size_t count = warp.splits.size();
  for (std::size_t k = 1; k <= count; ++k) {
    const std::size_t i = (warp.current + k) % count;
    if (warp.splits[i].state != Split::State::kReady) continue;
    warp.current = static_cast<std::uint32_t>(i);
    return true;
  }
  return false;
}

}  // namespace burin
