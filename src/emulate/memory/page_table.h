// Where global memory's allocations lie and which of their pages exist.
//
// Allocations start at a multiple of kRoomBytes, so a page belongs to one of them. A thread
// keeps the pages that it used last at hand; all others are found through the sorted list of
// allocations and their tables, without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "emulate/memory/memory.h"
#include "emulate/memory/page.h"
#include "launch/buffer.h"

namespace burin::emulate {

inline constexpr unsigned kRoomShift = 16;
inline constexpr std::uint64_t kRoomBytes = std::uint64_t{1} << kRoomShift;

struct Allocation {
  struct Release {
    void operator()(Page** table) const { std::free(static_cast<void*>(table)); }
  };
  std::string name;
  launch::Buffer buffer;
  std::uint64_t address = 0;
  // One entry per page; null until it is touched. The table of a large buffer is itself memory
  // that the system provides when touched, which is why it is not a vector.
  std::unique_ptr<Page*[], Release> pages;
  // Of an allocation that stands for several placed ones: `buffer` has only the size of it all.
  std::vector<launch::PlacedBuffer> parts;

  // With room of nothing behind it, so that what runs over its end is noticed.
  std::uint64_t room() const {
    return ((buffer.size + kRoomBytes - 1) >> kRoomShift << kRoomShift) + kRoomBytes;
  }
  std::uint64_t page_count() const { return (buffer.size + kPageBytes - 1) >> kPageShift; }
  std::uint32_t page_size(std::uint64_t index) const {
    const std::uint64_t left = buffer.size - (index << kPageShift);
    return static_cast<std::uint32_t>(left < kPageBytes ? left : kPageBytes);
  }
};

inline std::uint32_t within_page(std::uint64_t address) {
  return static_cast<std::uint32_t>(address & (kPageBytes - 1));
}

class SpinLock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) {
      while (held_.load(std::memory_order_relaxed)) {
      }
    }
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

class PageTable {
 public:
  PageTable();
  ~PageTable();
  PageTable(const PageTable&) = delete;
  PageTable& operator=(const PageTable&) = delete;

  std::uint64_t add(std::string name, const launch::Buffer& buffer);
  void place(std::span<const launch::PlacedBuffer> buffers);

  struct Found {
    Page* page = nullptr;
    const Allocation* allocation = nullptr;  // where there is no page yet; null: outside
  };
  // The page with this number, its address over its size. One that nobody has touched is made if
  // it holds known values, or to be written.
  Found find(std::uint64_t number, bool to_write) {
    const Cached& cached = cached_[number % cached_.size()];
    if (cached.number == number && cached.table == id_) return {.page = cached.page};
    return find_slowly(number, to_write);
  }

  // The page that has the `size` bytes from `address` on, which do not cross into another page.
  struct Cell {
    Found found;
    std::uint32_t at = 0;  // the byte in the page
    bool inside = false;
  };
  Cell cell(std::uint64_t address, unsigned size, bool to_write);

  // At most 16 bytes that do not cross into another page, as bytes [from, from + size) of a Datum.
  // False where they are outside.
  bool read(std::uint64_t address, unsigned size, Datum& out, unsigned from);
  bool write(std::uint64_t address, unsigned size, const Datum& in, unsigned from);

  // Bytes of a page that nobody has touched, as its buffer promises them, without making the page:
  // for who reads here and there. False where the page exists or is touched often, or the bytes are
  // not all known and inside of it.
  bool peek(std::uint64_t address, unsigned size, std::uint8_t* out);

  // Tells the processor that these bytes will be asked for: who goes here and there in memory then
  // waits for all of them at once. Makes no page.
  void expect(std::uint64_t address) const;

  const std::vector<Allocation>& allocations() const { return allocations_; }  // by address
  std::uint64_t touched_bytes() const { return touched_; }
  // Of updates that no single instruction of the processor can do.
  SpinLock& lock_of(std::uint64_t address) { return locks_[(address >> 4) % locks_.size()]; }

 private:
  struct Cached {
    std::uint64_t table = 0;
    std::uint64_t number = 0;
    Page* page = nullptr;
  };
  static thread_local std::array<Cached, 512> cached_;

  // The allocation that has this byte, or null.
  const Allocation* allocation_of(std::uint64_t address) const;
  Found find_slowly(std::uint64_t number, bool to_write);
  Page* make(const Allocation& allocation, std::uint64_t index);
  void insert(Allocation allocation);

  const std::uint64_t id_;  // never given twice, so that what a thread has cached cannot be stale
  std::vector<Allocation> allocations_;
  std::uint64_t next_;
  std::atomic<std::uint64_t> touched_{0};
  std::atomic<Page*> made_{nullptr};  // the last page of all; it knows the one before
  std::array<SpinLock, 256> locks_;
  // How often pages were peeked at; several share a count.
  std::vector<std::atomic<std::uint8_t>> peeks_ = std::vector<std::atomic<std::uint8_t>>(1 << 18);
};

}  // namespace burin::emulate
