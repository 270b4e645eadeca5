#include "timing/sm/account.h"

#include <algorithm>
#include <bit>

namespace burin::timing {

std::int64_t IssueRecord::count(std::uint64_t bits) {
  return std::popcount(bits);
}

std::int64_t IssueRecord::upto(std::int64_t cycle) const {
  const auto word = static_cast<std::size_t>(cycle / 64);
  if (word >= bits_.size()) {
    return bits_.empty() ? 0 : before_.back() + count(bits_.back());
  }
  const std::uint64_t below = (std::uint64_t{1} << (cycle % 64)) - 1;
  return before_[word] + count(bits_[word] & below);
}

void Account::stall(std::uint32_t instruction, launch::Stall stall, double cycles, double active,
                    std::uint32_t cause, double weight) {
  if (cycles <= 0) return;
  const launch::StallCycles c{active * weight, (cycles - active) * weight};
  const auto s = static_cast<std::size_t>(stall);
  costs_[instruction].stalls[s] += c;
  stalls_[s] += c;
  if (cause == kNobody) return;
  for (Blame& b : causes_[instruction]) {
    if (b.cause != cause || b.stall != stall) continue;
    b.cycles += c;
    return;
  }
  causes_[instruction].push_back({cause, instruction, stall, c});
}

std::vector<Blame> Account::blames() const {
  std::vector<Blame> all;
  for (const auto& of : causes_) all.insert(all.end(), of.begin(), of.end());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace burin::timing
