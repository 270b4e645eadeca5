// The allocations of global memory and the pages that exist in them.
//
// Allocations start at a multiple of kRoomBytes, so each page belongs to exactly one of them. Each
// thread caches its recently used pages; other pages are found without a lock through the sorted
// list of allocations and their tables.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
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
  bool internal = false;  // of no program's own
  // One entry per page; null until the page is touched. For a large buffer the system provides the
  // table's own memory on first touch, which is why it is not a vector.
  std::unique_ptr<Page*[], Release> pages;
  // Parts of an allocation that represents several placed buffers; `buffer` then has only the total
  // size.
  std::vector<launch::PlacedBuffer> parts;

  // Address range used, including an unmapped gap after the end so that overruns are detected.
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

  std::uint64_t add(std::string name, const launch::Buffer& buffer, bool internal);
  void place(std::span<const launch::PlacedBuffer> buffers);

  struct Found {
    Page* page = nullptr;
    const Allocation* allocation = nullptr;  // if there is no page yet; null: outside
  };
  // Returns the page with this number (address / page size). A page that was never touched is
  // created if it holds known values or if `to_write`.
  Found find(std::uint64_t number, bool to_write) {
    const Cached& cached = cached_[number % cached_.size()];
    if (cached.number == number && cached.table == id_) return {.page = cached.page};
    return find_slowly(number, to_write);
  }

  // Returns the page that holds the `size` bytes from `address` on, which must not cross a page
  // boundary.
  struct Cell {
    Found found;
    std::uint32_t at = 0;  // byte offset in the page
    bool inside = false;
  };
  Cell cell(std::uint64_t address, unsigned size, bool to_write) {
    Cell c{.found = find(address >> kPageShift, to_write), .at = within_page(address)};
    std::uint64_t limit = 0;
    if (c.found.page != nullptr) {
      limit = c.found.page->size();
    } else if (const Allocation* a = c.found.allocation; a != nullptr) {
      limit = a->page_size((address - a->address) >> kPageShift);
    }
    c.inside = c.at + std::uint64_t{size} <= limit;
    return c;
  }

  // Read or write at most 16 bytes that do not cross a page boundary, as bytes [from, from + size)
  // of a Datum. Return false if they are outside.
  bool read(std::uint64_t address, unsigned size, Datum& out, unsigned from);
  bool write(std::uint64_t address, unsigned size, const Datum& in, unsigned from);

  // Reads bytes of an untouched page directly from its buffer's recipe, without creating the page;
  // used for scattered reads. Returns false if the page exists or is read often, or if the bytes
  // are not all known and inside the page.
  bool peek(std::uint64_t address, unsigned size, std::uint8_t* out);

  // Prefetches these bytes into the host's caches, so that scattered accesses overlap their misses.
  // Creates no page.
  void expect(std::uint64_t address) const;

  const std::vector<Allocation>& allocations() const { return allocations_; }  // sorted by address
  std::uint64_t touched_bytes() const { return touched_; }
  void limit(std::uint64_t bytes, std::function<void()> exceeded);
  // Returns the lock for updates that the host cannot do with a single atomic instruction.
  SpinLock& lock_of(std::uint64_t address) { return locks_[(address >> 4) % locks_.size()]; }

 private:
  struct Cached {
    std::uint64_t table = 0;
    std::uint64_t number = 0;
    Page* page = nullptr;
  };
  static thread_local std::array<Cached, 512> cached_;

  // Returns the allocation that contains this byte, or null.
  const Allocation* allocation_of(std::uint64_t address) const;
  Found find_slowly(std::uint64_t number, bool to_write);
  Page* make(const Allocation& allocation, std::uint64_t index);
  void hold(std::uint64_t bytes);
  void insert(Allocation allocation);

  const std::uint64_t id_;  // never reused, so that entries cached by a thread cannot be stale
  std::vector<Allocation> allocations_;
  std::uint64_t next_;
  std::atomic<std::uint64_t> touched_{0};
  std::atomic<std::uint64_t> held_{0};                               // bytes of the host's memory
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();  // of them
  std::function<void()> exceeded_;
  std::atomic<Page*> made_{nullptr};  // head of the list of all pages, newest first
  std::array<SpinLock, 256> locks_;
  // Number of peeks per page; several pages share a counter.
  std::vector<std::atomic<std::uint8_t>> peeks_ = std::vector<std::atomic<std::uint8_t>>(1 << 18);
};

}  // namespace burin::emulate
