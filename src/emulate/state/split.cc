#include "emulate/state/split.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace burin::emulate {

struct UniformRegisters {
  std::array<Lanes, kSlots - kUniformSlot> slots;
  std::array<Mask, kSlots - kUniformSlot> unknown;
  std::array<Mask, kPredicateSlots - kUniformPredicateSlot> predicates;
  std::array<Mask, kPredicateSlots - kUniformPredicateSlot> predicate_unknown;
};

namespace {

// The lanes that a split at a BSYNC waits for, itself among them. Of splits at one BSYNC only those
// with the same ones meet: in a recursive function they may be there for different calls.
Mask meeting_of(const Warp& warp, const Split& split) {
  const auto lane = static_cast<unsigned>(std::countr_zero(split.lanes));
  return (warp.convergence[split.target][lane] | split.lanes) & warp.live;
}

bool waits_at(const Split& split, std::uint8_t barrier) {
  return split.state == Split::State::kConverging && split.target == barrier;
}

// Lanes on different sides of an Unknown branch have different ways before them.
bool same_forks(const Split& a, const Split& b) {
  return std::ranges::equal(a.forks, b.forks, [](const Fork& x, const Fork& y) {
    return x.before == y.before && x.second == y.second && x.first_joined == y.first_joined;
  });
}

void merge(Split& into, const Split& from) {
  into.lanes |= from.lanes;
  into.mask |= from.mask;
  into.missed = into.missed || from.missed;
  for (std::size_t f = 0; f < into.forks.size(); ++f) {
    into.forks[f].slots |= from.forks[f].slots;
    into.forks[f].predicates |= from.forks[f].predicates;
  }
}

// Makes the splits selected by `choose` ready again, merges those at the same instruction, and
// advances each by `pass` instructions.
template <typename Pass, typename Choose>
void release(Warp& warp, Pass pass, Choose choose) {
  std::vector<Split>& splits = warp.splits;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (!choose(splits[i])) continue;
    for (std::size_t k = splits.size(); k-- > i + 1;) {
      if (!choose(splits[k]) || splits[k].pc != splits[i].pc || !same_forks(splits[i], splits[k])) {
        continue;
      }
      merge(splits[i], splits[k]);
      splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(k));
      if (warp.current == k) {
        warp.current = static_cast<std::uint32_t>(i);
      } else if (warp.current > k) {
        --warp.current;
      }
    }
    splits[i].state = Split::State::kReady;
    splits[i].pc += pass(splits[i]);
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
  Mask in_vain = 0;  // lanes that were found to wait for others
  for (std::size_t i = 0; i < warp.splits.size(); ++i) {
    if (warp.splits[i].state != Split::State::kConverging) continue;
    if ((warp.splits[i].lanes & in_vain) != 0) continue;
    const std::uint8_t barrier = warp.splits[i].target;
    const Mask meeting = meeting_of(warp, warp.splits[i]);
    const auto meets = [&](const Split& s) {
      return waits_at(s, barrier) && meeting_of(warp, s) == meeting;
    };
    Mask come = 0;
    for (const Split& s : warp.splits)
      if (meets(s)) come |= s.lanes;
    if ((meeting & ~come) == 0) {
      release(warp, [](const Split&) { return 1u; }, meets);
    } else {
      in_vain |= come;
    }
  }
  // A WARPSYNC has its own mask: each lane waits for the lanes of that mask.
  Mask gathered = 0;
  for (const Split& s : warp.splits)
    if (s.state == Split::State::kGathering) gathered |= s.lanes;
  if (gathered == 0) return;
  const auto complete = [&](const Split& s) {
    return s.state == Split::State::kGathering && (s.mask & warp.live & ~gathered) == 0;
  };
  for (Split& s : warp.splits)
    if (complete(s)) s.missed = (s.mask & ~warp.live) != 0;
  // Those that are all at one place run it again as one; from different places they just go on.
  release(
      warp, [&](const Split& s) { return (s.mask & warp.live & ~s.lanes) == 0 ? 0u : 1u; },
      complete);
}

bool release_left_behind(Warp& warp) {
  Mask waiting = 0;  // for other lanes of the warp
  for (const Split& s : warp.splits) {
    if (s.state == Split::State::kConverging || s.state == Split::State::kGathering) {
      waiting |= s.lanes;
    }
  }
  const Split* innermost = nullptr;
  for (const Split& s : warp.splits) {
    if (s.state != Split::State::kConverging) continue;
    if ((meeting_of(warp, s) & ~waiting) != 0) continue;  // it waits for others too
    if (innermost == nullptr ||
        std::popcount(meeting_of(warp, s)) < std::popcount(meeting_of(warp, *innermost))) {
      innermost = &s;
    }
  }
  if (innermost == nullptr) return false;
  const std::uint8_t barrier = innermost->target;
  const Mask meeting = meeting_of(warp, *innermost);
  Mask come = 0;
  for (const Split& s : warp.splits) {
    if (waits_at(s, barrier) && meeting_of(warp, s) == meeting) come |= s.lanes;
  }
  if (come == meeting) return false;  // complete: settle() releases it
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    if ((come >> lane & 1) != 0) warp.convergence[barrier][lane] = come;
  }
  settle(warp);
  return true;
}

void end_lanes(Warp& warp, Mask lanes) {
  warp.live &= ~lanes;
  for (std::size_t i = warp.splits.size(); i-- > 0;) {
    warp.splits[i].lanes &= ~lanes;
    if (warp.splits[i].lanes != 0) continue;
    warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(i));
    if (warp.current > i) --warp.current;
  }
  if (warp.current >= warp.splits.size()) warp.current = 0;  // its own lanes ended
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

bool give_way(Warp& warp) {
  const std::uint32_t from = warp.current;
  if (!next_split(warp)) return false;
  if (warp.current == from) return true;
  auto kept = std::make_shared<UniformRegisters>();
  std::copy_n(&warp.slots[kUniformSlot], kept->slots.size(), kept->slots.begin());
  std::copy_n(&warp.unknown[kUniformSlot], kept->unknown.size(), kept->unknown.begin());
  std::copy_n(&warp.predicates[kUniformPredicateSlot], kept->predicates.size(),
              kept->predicates.begin());
  std::copy_n(&warp.predicate_unknown[kUniformPredicateSlot], kept->predicate_unknown.size(),
              kept->predicate_unknown.begin());
  warp.splits[from].uniform = std::move(kept);
  return true;
}

void take_back_uniform(Warp& warp) {
  const std::shared_ptr<const UniformRegisters> kept = std::move(warp.splits[warp.current].uniform);
  warp.splits[warp.current].uniform = nullptr;
  std::ranges::copy(kept->slots, &warp.slots[kUniformSlot]);
  std::ranges::copy(kept->unknown, &warp.unknown[kUniformSlot]);
  std::ranges::copy(kept->predicates, &warp.predicates[kUniformPredicateSlot]);
  std::ranges::copy(kept->predicate_unknown, &warp.predicate_unknown[kUniformPredicateSlot]);
}

}  // namespace burin::emulate
