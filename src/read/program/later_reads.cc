#include "read/program/later_reads.h"

#include <algorithm>
#include <vector>

namespace burin::read {

namespace {

struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

Range result_of(const Instruction& instruction) {
  for (const Operand& o : instruction.operands()) {
    const bool general = o.kind == Operand::Kind::kRegister && o.file == RegisterFile::kGeneral;
    if (general && o.written && o.index != kZeroRegister) return {o.index, o.count};
  }
  return {};
}

class LaterReads {
 public:
  LaterReads(const Kernel& kernel, Range result)
      : kernel_(kernel), result_(result), seen_(kernel.blocks.size()) {}

  std::uint32_t unread_after(std::uint32_t instruction) {
    const std::uint32_t all = (1u << result_.count) - 1;
    const std::uint32_t block = kernel_.block_of[instruction];
    follow(block, instruction + 1, all);
    while (!todo_.empty()) {
      const Visit next = todo_.back();
      todo_.pop_back();
      follow(next.block, kernel_.blocks[next.block].first, next.held);
    }
    return all & ~read_;
  }

 private:
  struct Visit {
    std::uint32_t block = 0;
    std::uint32_t held = 0;  // registers that still have the result
  };

  std::uint32_t bits_of(RegisterFile file, std::uint32_t first, std::uint32_t count) const {
    std::uint32_t bits = 0;
    for (std::uint32_t k = 0; k < result_.count && file == RegisterFile::kGeneral; ++k) {
      const std::uint32_t number = result_.first + k;
      if (number >= first && number < first + count) bits |= 1u << k;
    }
    return bits;
  }

  void follow(std::uint32_t number, std::uint32_t from, std::uint32_t held) {
    const BasicBlock& block = kernel_.blocks[number];
    for (std::uint32_t i = from; i <= block.last && held != 0; ++i) {
      const Instruction& at = kernel_.instructions[i];
      for_each_read(at, [&](RegisterFile file, std::uint32_t first, std::uint32_t count) {
        read_ |= held & bits_of(file, first, count);
      });
      if (at.guard.index != kZeroRegister) continue;  // it may leave what it writes as it was
      for_each_write(at, [&](RegisterFile file, std::uint32_t first, std::uint32_t count) {
        held &= ~bits_of(file, first, count);
      });
    }
    held &= ~read_;
    if (held == 0) return;
    if (block.unresolved || block.returns || block.callee != kNoIndex) {
      read_ |= held;
      return;
    }
    for (const Edge& edge : block.successors) {
      if ((held & ~seen_[edge.block]) == 0) continue;
      seen_[edge.block] |= held;
      todo_.push_back({edge.block, held});
    }
  }

  const Kernel& kernel_;
  Range result_;
  std::vector<std::uint32_t> seen_;  // per block, the registers it was entered with
  std::vector<Visit> todo_;
  std::uint32_t read_ = 0;
};

}  // namespace

std::uint32_t unread_results(const Kernel& kernel, std::uint32_t instruction) {
  const Range result = result_of(kernel.instructions[instruction]);
  if (result.count == 0 || result.count > 8) return 0;
  return LaterReads(kernel, result).unread_after(instruction);
}

}  // namespace burin::read
