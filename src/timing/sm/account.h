// Attributes the warp-cycles of an emulated SM. Every cycle of every warp between its start and its
// end is counted exactly once: as an issue, or as a stall of the warp's current instruction.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "launch/stall.h"
#include "timing/result/prediction.h"

namespace burin::timing {

// Records the cycles in which a scheduler issued, so that any interval in which a warp waits can be
// split into cycles in which another warp issued and cycles in which no warp did.
class IssueRecord {
 public:
  void issued(std::int64_t cycle) {
    const auto word = static_cast<std::size_t>(cycle / 64);
    while (bits_.size() <= word) {
      before_.push_back(before_.empty() ? 0 : before_.back() + count(bits_.back()));
      bits_.push_back(0);
    }
    bits_[word] |= std::uint64_t{1} << (cycle % 64);
  }
  // Returns the number of cycles in [from, to) in which the scheduler issued. `to` must not be
  // later than the recorded cycles.
  std::int64_t between(std::int64_t from, std::int64_t to) const { return upto(to) - upto(from); }

 private:
  static std::int64_t count(std::uint64_t bits);
  std::int64_t upto(std::int64_t cycle) const;

  std::vector<std::uint64_t> bits_;
  std::vector<std::int64_t> before_;  // issues in all earlier words
};

class Account {
 public:
  explicit Account(std::size_t instructions) : costs_(instructions), causes_(instructions) {}

  static constexpr std::uint32_t kNobody = 0xffffffff;

  void issue(std::uint32_t instruction, double weight) {
    costs_[instruction].issued += weight;
    issued_ += weight;
  }
  // `active` is the part of `cycles` in which the scheduler issued from another warp.
  void stall(std::uint32_t instruction, launch::Stall stall, double cycles, double active,
             std::uint32_t cause, double weight);
  void unknown(std::uint32_t instruction, double cycles) { costs_[instruction].unknown += cycles; }

  std::vector<InstructionCost>& costs() { return costs_; }
  const std::vector<InstructionCost>& costs() const { return costs_; }
  const std::array<launch::StallCycles, launch::kStalls>& stalls() const { return stalls_; }
  double issued() const { return issued_; }
  std::vector<Blame> blames() const;

 private:
  std::vector<InstructionCost> costs_;
  std::vector<std::vector<Blame>> causes_;  // per waiting instruction
  std::array<launch::StallCycles, launch::kStalls> stalls_{};
  double issued_ = 0;
};

}  // namespace burin::timing
