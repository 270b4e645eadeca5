// One page of global memory: its bytes, and which bytes are not known.
//
// Several threads access a page at the same time, as several SMs do. Bytes are read and written
// with relaxed atomics of the access size. Which bytes are known is kept separately, in bit sets
// that exist only if some byte was ever not known. A writer stores the bytes first and then marks
// them known; a reader checks in the opposite order, so bytes that it sees as known are present.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace burin::emulate {

// Small, because scattered accesses create a whole page for each word.
inline constexpr unsigned kPageShift = 12;
inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageShift;

// Relaxed atomic access to a naturally aligned value shared with other threads.
template <typename T>
inline T relaxed_load(const std::uint8_t* at) {
  return __atomic_load_n(reinterpret_cast<const T*>(at), __ATOMIC_RELAXED);
}
template <typename T>
inline void relaxed_store(std::uint8_t* at, T value) {
  __atomic_store_n(reinterpret_cast<T*>(at), value, __ATOMIC_RELAXED);
}

// A set of bytes of one page.
class ByteSet {
 public:
  ByteSet(std::uint32_t size, bool all) : words_((size + 63) / 64, all ? ~std::uint64_t{0} : 0) {}

  // Returns which of the `size` (≤ 16) bytes from `at` on are in the set: bit i is byte at + i.
  std::uint32_t get(std::uint32_t at, unsigned size) const {
    const unsigned shift = at % 64;
    std::uint64_t bits = load(at / 64) >> shift;
    if (shift + size > 64) bits |= load(at / 64 + 1) << (64 - shift);
    return static_cast<std::uint32_t>(bits) & ((1u << size) - 1);
  }
  // Adds the bytes given in `bits` (bit i is byte at + i) to the set, or removes them.
  void set(std::uint32_t at, std::uint32_t bits, bool in) {
    const unsigned shift = at % 64;
    change(at / 64, std::uint64_t{bits} << shift, in);
    if (shift > 32) change(at / 64 + 1, std::uint64_t{bits} >> (64 - shift), in);
  }
  void change(std::size_t word, std::uint64_t bits, bool in) {
    if (bits == 0) return;
    const std::uint64_t now = load(word);
    if (in) {
      if ((now & bits) != bits) __atomic_fetch_or(&words_[word], bits, __ATOMIC_RELEASE);
    } else {
      if ((now & bits) != 0) __atomic_fetch_and(&words_[word], ~bits, __ATOMIC_RELEASE);
    }
  }
  std::uint64_t load(std::size_t word) const {
    return __atomic_load_n(&words_[word], __ATOMIC_ACQUIRE);
  }

 private:
  std::vector<std::uint64_t> words_;
};

// The bytes of a page that are not known, and the subset that was never written.
struct Doubt {
  ByteSet unknown;
  ByteSet undefined;

  // Whether each of the `size` bytes from `at` on was written with an Unknown value.
  bool only_unknown(std::uint32_t at, unsigned size) const {
    return unknown.get(at, size) == (1u << size) - 1 && undefined.get(at, size) == 0;
  }

  // Marks the bytes in `bits` as written; those in `unknown_bits` have Unknown values.
  void written(std::uint32_t at, std::uint32_t bits, std::uint32_t unknown_bits) {
    unknown.set(at, bits & unknown_bits, true);
    unknown.set(at, bits & ~unknown_bits, false);
    undefined.set(at, bits, false);
  }
};

// The bytes directly follow the Page object in memory, which saves a pointer lookup.
class alignas(64) Page {
 public:
  // `size` is at most kPageBytes. The bytes start as 0; the caller fills them before other threads
  // see the page: `new (size) Page(size, …)`.
  static void* operator new(std::size_t header, std::uint32_t size) {
    return ::operator new(header + size, std::align_val_t{alignof(Page)});
  }
  static void operator delete(void* at) { ::operator delete(at, std::align_val_t{alignof(Page)}); }
  static void operator delete(void* at, std::uint32_t) { operator delete(at); }

  Page(std::uint32_t size, bool unknown, bool undefined) : size_(size) {
    std::memset(bytes(), 0, size);
    if (unknown || undefined) doubt_ = new Doubt{{size, true}, {size, undefined}};
  }
  ~Page() { delete doubt_.load(); }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  std::uint32_t size() const { return size_; }
  // Of the host's memory: the bytes, two bits for each that may be Unknown, the entry in the table.
  std::uint64_t host_bytes() const {
    return sizeof(Page) + sizeof(Page*) + size_ + (doubt() == nullptr ? 0 : size_ / 4);
  }
  std::uint8_t* bytes() const {
    return reinterpret_cast<std::uint8_t*>(const_cast<Page*>(this)) + sizeof(Page);
  }
  Doubt* doubt() const { return doubt_.load(std::memory_order_acquire); }  // null: all known
  Doubt& make_doubt() {
    Doubt* doubt = doubt_.load(std::memory_order_acquire);
    if (doubt != nullptr) return *doubt;
    auto made = std::make_unique<Doubt>(Doubt{{size_, false}, {size_, false}});
    if (doubt_.compare_exchange_strong(doubt, made.get())) return *made.release();
    return *doubt;
  }

 private:
  friend class PageTable;
  std::uint32_t size_;
  std::atomic<Doubt*> doubt_{nullptr};
  Page* made_before_ = nullptr;
};

}  // namespace burin::emulate
