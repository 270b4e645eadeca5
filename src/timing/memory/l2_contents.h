// The contents of the L2 cache, which decide which requests hit.
//
// Only the replayed SM's requests are simulated individually. Each also represents the same request
// from every other SM at that SM's own address (trace/strides.h), and the sectors of all SMs go
// through the same contents. One line in `sample` is simulated; the other lines are assumed to hit
// at the rate observed in the sample.
//
// A partly written sector is not read immediately. Its missing bytes are read from DRAM when the
// sector is evicted or written back, unless later writes have filled it. A store of fewer than
// l2.min_write bytes to a sector reads the sector first.
//
//   L2Contents l2(machine, strides, {.sample = 4});
//   L2Lookup lookup = l2.find({.instruction = i, .line = number, .sectors = 0xf}, requester);
//   lookup.missing                         // sectors to read from DRAM, for all SMs
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "machine/machine.h"
#include "timing/memory/cache.h"
#include "timing/memory/line_set.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin::timing {

struct L2Options {
  unsigned sample = 1;             // one in this many L2 lines is simulated; a power of two
  double kept = 1;                 // share of the cache that is used
  double l2_hit = -1;              // user-supplied hit rate (0 … 1) that replaces the contents;
                                   // negative: none
  std::vector<float> l2_hit_of{};  // user-supplied hit rate per instruction; negative: none
  bool known = false;              // all lookups come from a log, so no contents are kept
};

// The warp that makes a request: its block, and the blocks running on the other SMs at that time.
struct Requester {
  std::span<const BlockStep> others;  // blocks on the other SMs, relative to the traced block
  std::uint64_t others_id = 0;        // identifies the combination of `own` and `others`; 0: no
                                      // identifier
  BlockStep own{};                    // the warp's block, relative to the traced block
  const BlockStep* pair = nullptr;    // block on the SM whose requests merge with this SM's
  std::uint64_t local_base = 0;       // first line number of the warp's local memory
  std::uint32_t job = 0;              // index of the block among the replayed blocks
};

// A request for one cache line.
struct L2Request {
  std::uint32_t instruction = 0;
  std::uint64_t line = 0;
  unsigned sectors = 0;
  bool write = false;
  bool atomic = false;                     // performed in the partition that owns the memory
  unsigned bytes = emulate::kSectorBytes;  // bytes written per sector
  bool sparse = false;                     // the warp's request touches scattered lines
  double now = 0;
  double arrives = 0;  // when data requested from DRAM now would arrive
};

// The outcome of one request, summed over all SMs, in sectors. LoggedLookup describes each field.
struct L2Lookup {
  double missed = 0;
  double missing = 0;
  double scattered = 0;
  double written = 0;
  double partial = 0;
  double across = 0;
  bool own_miss = false;
  bool own_far = false;
  double pending = 0;  // when this SM's line arrives, if it is in flight
};

class L2Contents {
 public:
  // `strides` must outlive this object.
  L2Contents(const machine::Machine& machine, const StrideTable& strides, L2Options options);

  L2Lookup find(L2Request request, const Requester& requester);
  // Makes these bytes present and clean: in the partition that they belong to, and in that of the
  // SM which read them.
  void fill(std::uint64_t address, std::uint64_t bytes);
  // Earlier launches read these bytes, in all partitions, or wrote them.
  void pass(std::uint64_t address, std::uint64_t bytes, bool written);
  // Makes lines that belong to no buffer present and dirty: `bytes` from the byte `first` of them.
  void mark_dirty(std::uint64_t first, std::uint64_t bytes);
  void forget_times();  // marks nothing as in flight
  double dirty_sectors() const;
  // Sectors that were written back by requests that do not count: the next stores write back as
  // many in addition. Returns how many were left of those before.
  double owe(double sectors) { return std::exchange(owed_, sectors); }

 private:
  // The distance of each other SM's version of a request from the traced request, in the order of
  // Requester::others. The unit is lines, or bytes if any version is shifted by less than a whole
  // line.
  struct Moves {
    std::uint64_t others_id = 0;
    std::uint64_t own = 0;  // distance of the requester itself; irregular instructions only
    bool whole_lines = true;
    std::vector<std::uint64_t> others{};
  };

  // Returns whether all blocks use this line at the same time.
  bool is_shared(std::uint32_t instruction, std::uint64_t line) const {
    return strides_.of[instruction].kind == Strides::Kind::kSame ||
           common_[instruction].contains(line);
  }
  bool sampled(std::uint64_t line) const { return (scatter(line) & (sample_ - 1)) == 0; }
  unsigned fetched(unsigned sectors) const;
  unsigned home(std::uint64_t line) const;
  CacheLine& touch(unsigned side, std::uint64_t line, L2Lookup& lookup);
  void leave(const Leaving& leaving, L2Lookup& lookup) const;
  // Looks up one SM's request from that SM's partition.
  void look(unsigned side, const L2Request& request, L2Lookup& lookup, bool own);
  void look_in_sample(unsigned side, const L2Request& request, L2Lookup& lookup, bool own);
  void look_others(const L2Request& request, const Requester& requester, L2Lookup& lookup);
  void look_local(const L2Request& request, std::size_t others, L2Lookup& lookup);
  void look_moved(const L2Request& request, const Moves& moves, L2Lookup& lookup);
  void make_room_for_marks(std::size_t count);
  void look_at(const L2Request& request, const LineRing& ring, const Moves& moves,
               L2Lookup& lookup);
  const Moves& moves_of(std::uint32_t instruction, const Requester& requester);
  unsigned side_of(std::size_t other) const {
    return static_cast<unsigned>((other + 1) % sides_.size());
  }
  void write(unsigned side, const L2Request& request, L2Lookup& lookup);
  L2Lookup given(const L2Request& request, double hit, double all);

  const StrideTable& strides_;
  L2Options options_;
  unsigned sample_;
  unsigned fetch_;               // bytes read from DRAM on a miss
  unsigned min_write_;           // bytes of a sector below which a store reads the sector first
  std::vector<Cache> sides_;     // one cache per partition
  std::vector<LineSet> common_;  // Strides::common, per instruction
  struct MissRate {
    double sectors = 0, misses = 0, debt = 0;
  };
  double owed_ = 0;
  std::vector<MissRate> miss_rate_;        // per instruction
  std::vector<std::vector<Moves>> moves_;  // per instruction, keyed by Requester::others_id
  std::vector<std::uint8_t> in_sample_;    // scratch space, one entry per other SM
};

}  // namespace burin::timing
