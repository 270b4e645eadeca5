#include "timing/trace/active_blocks.h"

#include <algorithm>
#include <utility>

namespace burin::timing {

ActiveBlocks::ActiveBlocks(std::vector<std::uint64_t> found, std::uint64_t one_in,
                           std::uint64_t blocks)
    : found_(std::move(found)), one_in_(one_in), blocks_(blocks) {}

bool ActiveBlocks::in_a_row(std::size_t at) const {
  const auto part = [&](std::size_t k) { return found_[k] / one_in_; };
  return (at > 0 && part(at - 1) + 1 == part(at)) ||
         (at + 1 < found_.size() && part(at) + 1 == part(at + 1));
}

std::uint64_t ActiveBlocks::block(std::uint64_t position) const {
  const std::size_t at = position / one_in_;
  const std::uint64_t rest = position % one_in_;
  if (in_a_row(at)) return std::min(found_[at] - found_[at] % one_in_ + rest, blocks_ - 1);
  const std::uint64_t next = at + 1 < found_.size() ? found_[at + 1] : blocks_;
  return found_[at] + (next - found_[at]) * rest / one_in_;
}

std::uint64_t ActiveBlocks::known(std::uint64_t position) const {
  return in_a_row(position / one_in_) ? position : position - position % one_in_;
}

std::uint64_t ActiveBlocks::nearest(std::uint64_t block) const {
  const auto after = std::upper_bound(found_.begin(), found_.end(), block);
  if (after == found_.begin()) return 0;
  std::uint64_t position = static_cast<std::uint64_t>(after - found_.begin() - 1) * one_in_;
  while (position + 1 < size() && this->block(position + 1) <= block) ++position;
  const bool next_is_nearer =
      position + 1 < size() && this->block(position + 1) - block < block - this->block(position);
  return next_is_nearer ? position + 1 : position;
}

std::optional<std::uint64_t> ActiveBlocks::find(std::uint64_t block) const {
  const std::uint64_t position = nearest(block);
  if (this->block(position) != block) return std::nullopt;
  return position;
}

}  // namespace burin::timing
