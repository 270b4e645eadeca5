#include "emulate/memory/pending_copies.h"

#include <algorithm>
#include <cassert>

namespace burin::emulate {

void PendingCopies::reset(std::uint32_t bytes) {
  if (count_ != 0) under_way_.clear();
  under_way_.resize((std::size_t{bytes} + 3) / 4);
  warps_.clear();
  count_ = 0;
}

void PendingCopies::begin(Copy copy) {
  const std::uint32_t warp = copy.thread / kWarpLanes;
  if (warps_.size() <= warp) warps_.resize(warp + 1);
  copy.group = warps_[warp].groups[copy.thread % kWarpLanes];
  for (std::uint32_t k = 0; k < copy.words; ++k) ++under_way_[copy.word + k];
  warps_[warp].copies.push_back(copy);
  ++count_;
}

void PendingCopies::commit(std::uint32_t warp, Mask lanes) {
  if (warps_.size() <= warp) warps_.resize(warp + 1);
  for_each_lane(lanes, [&](unsigned i) { ++warps_[warp].groups[i]; });
}

template <typename Done>
void PendingCopies::drop(std::uint32_t warp, Done done) {
  if (warps_.size() <= warp) return;
  count_ -= std::erase_if(warps_[warp].copies, [&](const Copy& copy) {
    if (!done(copy)) return false;
    for (std::uint32_t k = 0; k < copy.words; ++k) --under_way_[copy.word + k];
    return true;
  });
}

void PendingCopies::wait(std::uint32_t warp, Mask lanes, std::uint32_t groups_left) {
  drop(warp, [&](const Copy& copy) {
    const unsigned lane = copy.thread % kWarpLanes;
    return (lanes >> lane & 1) != 0 && copy.group + groups_left < warps_[warp].groups[lane];
  });
}

void PendingCopies::finish(std::uint32_t warp, Mask lanes) {
  drop(warp, [&](const Copy& copy) { return (lanes >> (copy.thread % kWarpLanes) & 1) != 0; });
}

const PendingCopies::Copy& PendingCopies::at(std::uint64_t word) const {
  for (const OfWarp& warp : warps_) {
    const auto found = std::ranges::find_if(warp.copies, [&](const Copy& copy) {
      return copy.word <= word && word < std::uint64_t{copy.word} + copy.words;
    });
    if (found != warp.copies.end()) return *found;
  }
  assert(false && "a word under way has a copy");
  return warps_.front().copies.front();
}

}  // namespace burin::emulate
