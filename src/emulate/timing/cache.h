// What a cache holds: lines of four sectors in sets, the least recently used leaves first. Contents
// only; time is memory_system.h's.
//
//   Cache l2(lines, 16);
//   CacheLine& line = l2.touch(number, leaving);     // now the most recent of its set
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "emulate/traffic.h"

namespace burin {

struct CacheLine {
  std::uint8_t valid = 0;  // sectors; all of their bytes are here
  std::uint8_t dirty = 0;
  bool passing = false;                   // of L1: brought by steps that are left out, no other
  float ready = 0;                        // when the sectors under way arrive, in cycles
  std::array<std::uint8_t, 4> written{};  // bytes of each sector, as long as it is not valid

  // So many bytes of each of these sectors. Bytes are counted, not told apart: what is written
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

// Of a set's lines, at most. Kernels that only write leave 27 of the H200's 60 MB to be written
// after them.
inline constexpr double kMostDirty = 0.5;

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
  Cache(std::uint64_t lines, unsigned ways);

  // The line, most recent from now on. Where it was not there, another has left: `leaving` gets the
  // dirty sectors of that one, and the line comes back with no valid sector.
  CacheLine& touch(std::uint64_t number, Leaving& leaving);

  // Not more than half of the lines in this one's set are dirty, and not more than two in sixteen
  // have sectors that are written in part: the oldest that is too much is written back and stays,
  // clean and whole.
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

// Spreads line numbers over sets and samples alike: a multiple of any power of two is no worse.
inline std::uint64_t scatter(std::uint64_t number) {
  number = fibonacci_hash(number ^ number >> 17);
  return number ^ number >> 29;
}

}  // namespace burin
