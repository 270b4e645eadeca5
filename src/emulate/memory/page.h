// One page of global memory: its bytes, and which of them are not known.
//
// Several threads use a page at once, as several SMs do. Bytes are read and written by relaxed
// atomics of the access's own size; what is known of them is kept beside, in bit sets that exist
// only where some byte was ever not known. A writer stores the bytes first and then says that they
// are known, a reader asks in the other order, so what it takes for known is there.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace burin::emulate {

// Small: who reads a word here and a word there makes a whole page for each.
inline constexpr unsigned kPageShift = 12;
inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageShift;

// A value of natural size and alignment, as other threads see it.
template <typename T>
inline T relaxed_load(const std::uint8_t* at) {
  return __atomic_load_n(reinterpret_cast<const T*>(at), __ATOMIC_RELAXED);
}
template <typename T>
inline void relaxed_store(std::uint8_t* at, T value) {
  __atomic_store_n(reinterpret_cast<T*>(at), value, __ATOMIC_RELAXED);
}

// A set of a page's bytes.
class ByteSet {
 public:
  ByteSet(std::uint32_t size, bool all) : words_((size + 63) / 64, all ? ~std::uint64_t{0} : 0) {}

  // Of the `size` (≤ 16) bytes from `at` on, those in the set: bit i is byte at + i.
  std::uint32_t get(std::uint32_t at, unsigned size) const {
    const unsigned shift = at % 64;
    std::uint64_t bits = load(at / 64) >> shift;
    if (shift + size > 64) bits |= load(at / 64 + 1) << (64 - shift);
    return static_cast<std::uint32_t>(bits) & ((1u << size) - 1);
  }
  // Puts the bytes named in `bits` in, or takes them out.
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

// The bytes of a page that are not known, and those of them that nobody has written.
struct Doubt {
  ByteSet unknown;
  ByteSet undefined;

  // The bytes in `bits` have been written, with known values or not.
  void written(std::uint32_t at, std::uint32_t bits, std::uint32_t unknown_bits) {
    unknown.set(at, bits & unknown_bits, true);
    unknown.set(at, bits & ~unknown_bits, false);
    undefined.set(at, bits, false);
  }
};

// The bytes lie right behind the page, so that who has the page need not look where they are.
class alignas(64) Page {
 public:
  // `size` is at most kPageBytes. The bytes are 0, and the caller's to fill before others see the
  // page:  new (size) Page(size, …)
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
  std::uint8_t* bytes() const {
    return reinterpret_cast<std::uint8_t*>(const_cast<Page*>(this)) + sizeof(Page);
  }
  Doubt* doubt() const { return doubt_.load(std::memory_order_acquire); }  // null: all is known
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
