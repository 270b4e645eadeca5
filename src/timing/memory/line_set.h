// An immutable set of cache lines with fast lookup, for sets queried far more often than built.
//
//   const LineSet lines({7, 8});
//   lines.contains(8)                // true
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "timing/trace/lines.h"

namespace burin::timing {

class LineSet {
 public:
  LineSet() = default;
  explicit LineSet(const std::vector<std::uint64_t>& lines) {
    if (lines.empty()) return;
    slots_.assign(std::bit_ceil(2 * lines.size()), kNone);
    for (const std::uint64_t line : lines) slots_[slot_of(line)] = line;
  }

  bool contains(std::uint64_t line) const {
    return !slots_.empty() && slots_[slot_of(line)] == line;
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  // Returns the slot that holds the line, or the free slot where it would go.
  std::size_t slot_of(std::uint64_t line) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = scatter(line) & mask;
    while (slots_[at] != line && slots_[at] != kNone) at = (at + 1) & mask;
    return at;
  }

  std::vector<std::uint64_t> slots_;  // open-addressing hash table, at least half empty
};

}  // namespace burin::timing
