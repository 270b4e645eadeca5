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
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/hash.h"

namespace burin::runtime {

template <std::size_t kKeyWords, std::size_t kValueWords>
class SharedTable {
 public:
  using Key = std::array<std::uint64_t, kKeyWords>;
  using Value = std::array<std::uint64_t, kValueWords>;

  // `slots` is a power of two, at least kWindow.
  explicit SharedTable(std::size_t slots) : mask_(slots - 1), slots_(new Slot[slots]) {}

  bool find(const Key& key, Value& value) const {
    const std::uint64_t hash = hash_of(key);
    for (std::size_t i = 0; i < kWindow; ++i) {
      const Slot& slot = slots_[(hash + i) & mask_];
      if (slot.hash.load(std::memory_order_relaxed) == hash && read(slot, key, value)) return true;
    }
    return false;
  }

  // Replaces the value of a key that is there. Does nothing where another thread is writing the
  // slot that it would take: the caller computes the value again next time.
  void store(const Key& key, const Value& value) {
    const std::uint64_t hash = hash_of(key);
    Slot* chosen = nullptr;
    Value ignored;
    for (std::size_t i = 0; i < kWindow; ++i) {
      Slot& slot = slots_[(hash + i) & mask_];
      if (slot.sequence.load(std::memory_order_acquire) == 0) {
        if (chosen == nullptr) chosen = &slot;
      } else if (slot.hash.load(std::memory_order_relaxed) == hash && read(slot, key, ignored)) {
        chosen = &slot;
        break;
      }
    }
    if (chosen == nullptr) {
      const std::uint64_t turn = evictions_.fetch_add(1, std::memory_order_relaxed);
      chosen = &slots_[(hash + turn % kWindow) & mask_];
    }
    write(*chosen, hash, key, value);
  }

 private:
  static constexpr std::size_t kWindow = 8;  // slots that a key may be in

  struct alignas(64) Slot {
    std::atomic<std::uint64_t> sequence{0};  // 0: never written; odd: being written
    std::atomic<std::uint64_t> hash{0};
    std::array<std::atomic<std::uint64_t>, kKeyWords> key{};
    std::array<std::atomic<std::uint64_t>, kValueWords> value{};
  };

  static std::uint64_t hash_of(const Key& key) {
    // Several chains of multiplications side by side: one would take 5 cycles per word.
    std::array<std::uint64_t, 4> lanes = {1, 2, 3, 4};
    for (std::size_t i = 0; i < kKeyWords; ++i) {
      std::uint64_t& lane = lanes[i % lanes.size()];
      lane = std::rotl((lane ^ key[i]) * kGoldenRatio, 29);
    }
    return splitmix64(lanes[0] ^ std::rotl(lanes[1], 17) ^ std::rotl(lanes[2], 31) ^
                      std::rotl(lanes[3], 47));
  }

  static bool read(const Slot& slot, const Key& key, Value& value) {
    const std::uint64_t before = slot.sequence.load(std::memory_order_acquire);
    if (before == 0 || before % 2 != 0) return false;
    bool equal = true;
    for (std::size_t i = 0; i < kKeyWords; ++i) {
      equal &= slot.key[i].load(std::memory_order_acquire) == key[i];
    }
    for (std::size_t i = 0; i < kValueWords; ++i) {
      value[i] = slot.value[i].load(std::memory_order_acquire);
    }
    return equal && slot.sequence.load(std::memory_order_relaxed) == before;
  }

  static void write(Slot& slot, std::uint64_t hash, const Key& key, const Value& value) {
    std::uint64_t sequence = slot.sequence.load(std::memory_order_relaxed);
    if (sequence % 2 != 0 ||
        !slot.sequence.compare_exchange_strong(sequence, sequence + 1, std::memory_order_acq_rel)) {
      return;
    }
    slot.hash.store(hash, std::memory_order_release);
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
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace burin::runtime
