// The contents of a set-associative cache: lines of four sectors, replaced least recently used
// first. It knows no time; memory_system.h does.
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
  std::uint8_t valid = 0;  // sectors; all of their bytes are here
  std::uint8_t dirty = 0;
  bool passing = false;                   // of L1: only skipped steps have brought it
  float ready = 0;                        // when the sectors under way arrive, in cycles
  std::array<std::uint8_t, 4> written{};  // bytes of each sector, as long as it is not valid

  // Writes so many bytes of each of these sectors. Bytes are counted, not located: a byte written
  // twice counts twice.
  void write(unsigned sectors, unsigned bytes);
  // Dirty sectors of which bytes are missing.
  std::uint8_t partial() const { return static_cast<std::uint8_t>(dirty & ~valid); }
};

// Sectors of a line that leaves the cache, or is written back.
struct Leaving {
  std::uint8_t dirty = 0;
  std::uint8_t partial = 0;  // of them, those that were written in part and never read
};

// Of a set's lines, the shares that may be dirty and that may hold partly written sectors
// (l2.max_dirty and l2.max_partial of the machine).
struct DirtyLimits {
  double dirty = 1;
  double partial = 1;
};

inline unsigned count_sectors(unsigned sectors) {
  constexpr std::array<std::uint8_t, 16> kCounts = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return kCounts[sectors & 0xf];
}

// Halves of a line, 64 bytes, that have one of the sectors.
inline unsigned halves(unsigned sectors) {
  return ((sectors & 3) != 0 ? 1u : 0u) + ((sectors & 12) != 0 ? 1u : 0u);
}

class Cache {
 public:
  Cache(std::uint64_t lines, unsigned ways, DirtyLimits limits = {});

  // Returns the line and makes it the most recent of its set. On a miss another line is evicted:
  // `leaving` gets its dirty sectors, and the new line has no valid sector.
  CacheLine& touch(std::uint64_t number, Leaving& leaving);

  // Where this line's set has more dirty or partly written lines than its limits allow, the oldest
  // of them is written back. It stays, clean and whole.
  Leaving limit_dirty(std::uint64_t number);

  // The line if it is there; its age stays.
  CacheLine* find(std::uint64_t number);

  void clear();
  void forget_times();  // all lines are ready
  std::uint64_t lines() const { return sets_ * ways_; }

 private:
  // Where the number is, or would be.
  struct Place {
    std::size_t set = 0;
    std::uint8_t mark = 0;
  };
  // The lines of a set stand in a ring by age: behind the newest comes the oldest.
  struct Ages {
    std::uint16_t newer = 0;
    std::uint16_t older = 0;
  };
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  Place place_of(std::uint64_t number) const;
  std::size_t way_of(std::uint64_t number, Place place) const;  // of its set, or kNowhere
  void make_newest(std::size_t set, std::size_t way);
  template <typename Counts>
  CacheLine* oldest_beyond(std::size_t set, unsigned most, Counts counts);

  unsigned ways_;
  unsigned max_dirty_;    // lines of a set
  unsigned max_partial_;  // …
  std::uint64_t sets_;
  std::size_t words_;   // of marks, that a set has,
  std::size_t stride_;  // … and as many lines as there are marks in them; some are not used
  // Of each line, apart from what it holds: 8 bits of its scattered number, so that a set of many
  // ways is looked through in a few words.
  std::vector<std::uint64_t> marks_;
  std::vector<std::uint64_t> numbers_;  // address / 128; all bits: none
  std::vector<Ages> ages_;
  std::vector<std::uint16_t> oldest_;  // of each set
  std::vector<CacheLine> lines_;
};

}  // namespace burin::timing
