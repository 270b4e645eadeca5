// Numbers keys of equally many words, in order of their first appearance.
//
//   StateTable table(2);
//   table.number(key)      {0, true}: new
//   table.number(key)      {0, false}
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace burin::tune {

template <typename Word>
class StateTable {
 public:
  explicit StateTable(std::size_t words) : words_(words), slots_(kFirstSlots, kEmpty) {}

  std::uint32_t size() const { return size_; }
  std::vector<Word>& keys() { return keys_; }  // one after another

  // The key's number, and whether it is new.
  std::pair<std::uint32_t, bool> number(std::span<const Word> key) {
    if (2 * std::size_t{size_} >= slots_.size()) grow();
    std::size_t slot = slot_of(key);
    while (slots_[slot] != kEmpty) {
      if (std::equal(key.begin(), key.end(), keys_.begin() + position(slots_[slot]))) {
        return {slots_[slot], false};
      }
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = size_;
    keys_.insert(keys_.end(), key.begin(), key.end());
    return {size_++, true};
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;
  static constexpr std::size_t kFirstSlots = 64;

  std::ptrdiff_t position(std::uint32_t number) const {
    return static_cast<std::ptrdiff_t>(number * words_);
  }

  std::size_t slot_of(std::span<const Word> key) const {
    std::uint64_t hash = 0;
    for (const Word word : key) hash = hash_combine(hash, word);
    return splitmix64(hash) & (slots_.size() - 1);
  }

  void grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    for (std::uint32_t number = 0; number < size_; ++number) {
      std::size_t slot = slot_of(std::span<const Word>(keys_).subspan(number * words_, words_));
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  std::size_t words_;
  std::uint32_t size_ = 0;
  std::vector<Word> keys_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace burin::tune
