// A table of fixed size that threads read and write at once without locks, and that allocates
// nothing after its construction. Keys and values are arrays of 64-bit words. A full table forgets
// old entries: it is a cache.
//
//   SharedTable<2, 1> table(4096);
//   table.store({handle, device}, {pointer});
//   std::array<std::uint64_t, 1> value;
//   if (table.find({handle, device}, value)) …     about 10 ns
//
// Each slot has a sequence number that is odd while the slot is being written. A reader that sees
// it change treats the slot as empty, so it never returns half of an entry. The words are atomics
// with acquire and release order, which order them with the sequence number.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/hash.h"

namespace burin::runtime {

template <std::size_t kKeyWords, std::size_t kValueWords>
class SharedTable {
 public:
  using Key = std::array<std::uint64_t, kKeyWords>;
  using Value = std::array<std::uint64_t, kValueWords>;

  // `slots` is a power of two, at least kWindow, below 2^32.
  explicit SharedTable(std::size_t slots) : mask_(slots - 1), slots_(new Slot[slots]) {}

  bool find(const Key& key, Value& value) const {
    const std::uint64_t hash = hash_of(key);
    for (std::size_t i = 0; i < kWindow; ++i) {
      const Slot& slot = slots_[(hash + i) & mask_];
      const std::uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
      if (sequence == 0) return false;  // a window is filled from its start
      if (read(slot, sequence, key, value)) return true;
    }
    return false;
  }

  // Replaces the value of a key that is there. Does nothing where another thread is writing the
  // slot that it would take: the caller computes the value again next time.
  void store(const Key& key, const Value& value) {
    const std::uint64_t hash = hash_of(key);
    Slot* chosen = nullptr;
    std::uint64_t writes = 0;
    for (std::size_t i = 0; i < kWindow && chosen == nullptr; ++i) {
      Slot& slot = slots_[(hash + i) & mask_];
      const std::uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
      Value ignored;
      if (sequence == 0 || read(slot, sequence, key, ignored)) chosen = &slot;
      writes += sequence / 2;
    }
    if (chosen == nullptr) chosen = &slots_[(hash + writes % kWindow) & mask_];
    write(*chosen, key, value);
  }

 private:
  static constexpr std::size_t kWindow = 8;  // slots that a key may be in

  // One cache line where key and value have seven words.
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> sequence{0};  // 0: never written; odd: being written
    std::array<std::atomic<std::uint64_t>, kKeyWords> key{};
    std::array<std::atomic<std::uint64_t>, kValueWords> value{};
  };

  // Odd, one for each word of a key.
  static constexpr std::array<std::uint64_t, kKeyWords> kMultipliers = [] {
    std::array<std::uint64_t, kKeyWords> multipliers = {};
    for (std::size_t i = 0; i < kKeyWords; ++i) {
      multipliers[i] = splitmix64(i * kGoldenRatio + kSplitmixMultiplier) | 1;
    }
    return multipliers;
  }();

  // A sum of products, whose high half depends on all words: the products do not wait for one
  // another, as a hash that mixes one word after the other would.
  static std::uint64_t hash_of(const Key& key) {
    return sum_of_products(key, std::make_index_sequence<kKeyWords>()) >> 32;
  }
  template <std::size_t... kIndices>
  static std::uint64_t sum_of_products(const Key& key, std::index_sequence<kIndices...>) {
    return ((key[kIndices] * kMultipliers[kIndices]) + ...);
  }

  // `sequence` is the slot's, read before.
  static bool read(const Slot& slot, std::uint64_t sequence, const Key& key, Value& value) {
    for (std::size_t i = 0; i < kKeyWords; ++i) {
      if (slot.key[i].load(std::memory_order_acquire) != key[i]) return false;
    }
    for (std::size_t i = 0; i < kValueWords; ++i) {
      value[i] = slot.value[i].load(std::memory_order_acquire);
    }
    return sequence % 2 == 0 && slot.sequence.load(std::memory_order_relaxed) == sequence;
  }

  static void write(Slot& slot, const Key& key, const Value& value) {
    std::uint64_t sequence = slot.sequence.load(std::memory_order_relaxed);
    if (sequence % 2 != 0 ||
        !slot.sequence.compare_exchange_strong(sequence, sequence + 1, std::memory_order_acq_rel)) {
      return;
    }
    for (std::size_t i = 0; i < kKeyWords; ++i) {
      slot.key[i].store(key[i], std::memory_order_release);
    }
    for (std::size_t i = 0; i < kValueWords; ++i) {
      slot.value[i].store(value[i], std::memory_order_release);
    }
    slot.sequence.store(sequence + 2, std::memory_order_release);
  }

  std::size_t mask_;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace burin::runtime
