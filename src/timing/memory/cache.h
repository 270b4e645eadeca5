// The contents of a set-associative cache with lines of four sectors and LRU replacement. The class
// has no notion of time; memory_system.h adds it.
//
//   Cache l2(lines, 16);
//   CacheLine& line = l2.touch(number, leaving);     // now the most recent of its set
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulate/traffic.h"
#include "timing/trace/lines.h"

namespace burin::timing {

struct CacheLine {
  std::uint8_t valid = 0;  // bit mask of sectors whose bytes are all present
  std::uint8_t dirty = 0;
  bool passing = false;                   // L1 only: fetched by skipped steps only
  float ready = 0;                        // cycle at which the sectors in flight arrive
  std::array<std::uint8_t, 4> written{};  // bytes written per sector, while the sector is not valid

  // Writes `bytes` bytes to each sector in the mask `sectors`. Bytes are counted, not located: a
  // byte written twice counts twice.
  void write(unsigned sectors, unsigned bytes);
  // Returns the dirty sectors that still have missing bytes.
  std::uint8_t partial() const { return static_cast<std::uint8_t>(dirty & ~valid); }
};

// Sectors of a line that is evicted or written back.
struct Leaving {
  std::uint8_t dirty = 0;
  std::uint8_t partial = 0;  // dirty sectors that were partly written and never read
};

// Maximum share of a set's lines that may be dirty, and maximum share that may hold partly written
// sectors (l2.max_dirty and l2.max_partial of the machine).
struct DirtyLimits {
  double dirty = 1;
  double partial = 1;
};

inline unsigned count_sectors(unsigned sectors) {
  constexpr std::array<std::uint8_t, 16> kCounts = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return kCounts[sectors & 0xf];
}

// Returns how many 64-byte halves of a line contain at least one of the sectors.
inline unsigned halves(unsigned sectors) {
  return ((sectors & 3) != 0 ? 1u : 0u) + ((sectors & 12) != 0 ? 1u : 0u);
}

class Cache {
 public:
  Cache(std::uint64_t lines, unsigned ways, DirtyLimits limits = {});

  // Returns the line and makes it the most recently used of its set. On a miss another line is
  // evicted: its dirty sectors are returned in `leaving`, and the new line has no valid sectors.
  CacheLine& touch(std::uint64_t number, Leaving& leaving);

  // If the set of this line holds more dirty or partly written lines than its limits allow, writes
  // back the least recently used such line. The line stays in the cache, clean and fully valid.
  Leaving limit_dirty(std::uint64_t number);

  // Returns the line, or null on a miss. Does not affect the replacement order.
  CacheLine* find(std::uint64_t number);

  void clear();
  std::uint64_t dirty_sectors() const;
  void forget_times();  // marks all lines as ready
  std::uint64_t lines() const { return sets_ * ways_; }

 private:
  // The set of a line number, and the mark it has there, whether or not the line is present.
  struct Place {
    std::size_t set = 0;
    std::uint8_t mark = 0;
  };
  // The lines of a set form a ring by age, in which the newest is followed by the oldest.
  struct Ages {
    std::uint16_t newer = 0;
    std::uint16_t older = 0;
  };
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  Place place_of(std::uint64_t number) const;
  std::size_t way_of(std::uint64_t number, Place place) const;  // way within the set, or kNowhere
  void make_newest(std::size_t set, std::size_t way);
  template <typename Counts>
  CacheLine* oldest_beyond(std::size_t set, unsigned most, Counts counts);

  unsigned ways_;
  unsigned max_dirty_;    // maximum dirty lines per set
  unsigned max_partial_;  // maximum lines with partly written sectors per set
  std::uint64_t sets_;
  std::size_t words_;   // 64-bit words of marks per set
  std::size_t stride_;  // lines allocated per set, one per mark; some are unused
  // One mark per line: 8 bits of its hashed number, stored apart from the line so that a set with
  // many ways can be searched in a few words.
  std::vector<std::uint64_t> marks_;
  std::vector<std::uint64_t> numbers_;  // address / 128; all bits set: empty
  std::vector<Ages> ages_;
  std::vector<std::uint16_t> oldest_;  // least recently used way of each set
  std::vector<CacheLine> lines_;
};

}  // namespace burin::timing
