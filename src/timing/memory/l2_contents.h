// The contents of the L2 cache, and which requests hit.
//
// Only the replayed SM's requests are simulated one by one. Each stands for the same request of
// every other SM at that SM's own address (strides.h): their sectors go through the same contents.
// One line in `sample` is kept; the other lines hit as often as the sample shows.
//
// A partly written sector is not read at once. Its missing bytes come from DRAM when it is evicted
// or written back, unless later writes have filled it. A store of less than l2.min_write bytes of a
// sector reads the sector first.
//
//   L2Contents l2(machine, strides, {.sample = 4});
//   L2Lookup lookup = l2.find({.instruction = i, .line = number, .sectors = 0xf}, requester);
//   lookup.missing                         // sectors to read from DRAM, for all SMs
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "timing/memory/cache.h"
#include "timing/memory/line_set.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin::timing {

struct L2Options {
  unsigned sample = 1;             // 1 of so many L2 lines is kept; a power of two
  double l2_hit = -1;              // 0 … 1: a given hit rate in place of the contents
  std::vector<float> l2_hit_of{};  // … per instruction; negative: not given
  bool known = false;              // every lookup comes from a log: no contents are kept
};

// The warp that makes a request: its block, and the blocks that the other SMs run meanwhile.
struct Requester {
  std::span<const BlockStep> others;  // the blocks on the other SMs, seen from the trace's own
  std::uint64_t others_id = 0;        // of this block and those; 0: not numbered
  BlockStep own{};                    // the block itself, seen from the trace's own
  const BlockStep* pair = nullptr;    // the block on the SM whose requests merge with ours
  std::uint64_t local_base = 0;       // line number of the warp's local memory
  std::uint32_t job = 0;              // number of the block among the replayed ones
};

// A request for one line.
struct L2Request {
  std::uint32_t instruction = 0;
  std::uint64_t line = 0;
  unsigned sectors = 0;
  bool write = false;
  bool atomic = false;                     // done in the partition that the memory belongs to
  unsigned bytes = emulate::kSectorBytes;  // that are written of each sector
  bool sparse = false;                     // the warp's request goes to scattered lines
  double now = 0;
  double arrives = 0;  // when what is read from DRAM now would be there
};

// The outcome of one request, for all SMs' versions of it, in sectors; see LoggedLookup.
struct L2Lookup {
  double missed = 0;
  double missing = 0;
  double scattered = 0;
  double written = 0;
  double partial = 0;
  double across = 0;
  bool own_miss = false;
  bool own_far = false;
  double pending = 0;  // when the own line arrives, if it is under way
};

class L2Contents {
 public:
  // The strides must outlive it.
  L2Contents(const machine::Machine& machine, const StrideTable& strides, L2Options options);

  L2Lookup find(L2Request request, const Requester& requester);
  void fill(std::uint64_t address, std::uint64_t bytes);  // held, unwritten, in all partitions
  void forget_times();                                    // nothing is under way

 private:
  // How far each of the other SMs' versions of a request is from the traced one, in their order: in
  // lines, or in bytes where one of them has moved by less than a whole line.
  struct Moves {
    std::uint64_t others_id = 0;
    std::uint64_t own = 0;  // of the requester itself; of irregular instructions
    bool whole_lines = true;
    std::vector<std::uint64_t> others{};
  };

  // Whether all blocks use this line at the same time.
  bool is_shared(std::uint32_t instruction, std::uint64_t line) const {
    return strides_.of[instruction].kind == Strides::Kind::kSame ||
           common_[instruction].contains(line);
  }
  bool sampled(std::uint64_t line) const { return (scatter(line) & (sample_ - 1)) == 0; }
  unsigned fetched(unsigned sectors) const;
  unsigned home(std::uint64_t line) const;
  CacheLine& touch(unsigned side, std::uint64_t line, L2Lookup& lookup);
  void leave(const Leaving& leaving, L2Lookup& lookup) const;
  // One SM's, from its side of the cache.
  void look(unsigned side, const L2Request& request, L2Lookup& lookup, bool own);
  void look_in_sample(unsigned side, const L2Request& request, L2Lookup& lookup, bool own);
  void look_others(const L2Request& request, const Requester& requester, L2Lookup& lookup);
  void look_local(const L2Request& request, std::size_t others, L2Lookup& lookup);
  void look_moved(const L2Request& request, const Moves& moves, L2Lookup& lookup);
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
  unsigned fetch_;               // bytes that a miss reads
  unsigned min_write_;           // bytes of a sector
  std::vector<Cache> sides_;     // partitions
  std::vector<LineSet> common_;  // per instruction: Strides::common
  struct MissRate {
    double sectors = 0, misses = 0, debt = 0;
  };
  std::vector<MissRate> miss_rate_;        // per instruction
  std::vector<std::vector<Moves>> moves_;  // per instruction, by the id of the others
  std::vector<std::uint8_t> in_sample_;    // for look_at(): of each of the others
};

}  // namespace burin::timing
