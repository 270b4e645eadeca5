// What the L2 cache holds, and what the SMs' requests find there.
//
// The emulated SM's requests are real. Each stands for those of the other SMs, which do the same at
// the same time at their own addresses (neighbours.h): their sectors go through the same contents.
// Of the lines a sample is kept, one in `sample`; the others go by what the sample shows.
//
// A sector that is written in part is not read at once: what is missing of it comes from DRAM when
// it leaves or is written back, unless later writes have filled it up. Only where less than a word
// of it is written is it read first.
//
//   L2Contents l2(machine, strides, {.sample = 4});
//   Found found = l2.find({.instruction = i, .line = number, .sectors = 0xf}, asker);
//   found.missing                         // sectors to read from DRAM, for all SMs
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "timing/memory/cache.h"
#include "timing/memory/line_set.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin {

struct L2Options {
  unsigned sample = 1;             // 1 of so many L2 lines is kept; a power of two
  double l2_hit = -1;              // 0 … 1: the L2 cache's contents are not looked at
  std::vector<float> l2_hit_of{};  // per instruction; negative: not given
  bool known = false;              // what is found is always given: nothing is kept
};

// The block that asks, and where its neighbours are.
struct Asker {
  std::span<const BlockStep> others;  // the blocks on the other SMs, seen from the trace's own
  std::uint64_t others_id = 0;        // of this block and those; 0: not numbered
  BlockStep own{};                    // the block itself, seen from the trace's own
  const BlockStep* pair = nullptr;    // the block on the SM whose requests are joined with ours
  std::uint64_t local_base = 0;       // line number of the warp's local memory
  std::uint32_t job = 0;              // number of the block, of those that are replayed
};

// What is asked of one line.
struct L2Request {
  std::uint32_t instruction = 0;
  std::uint64_t line = 0;
  unsigned sectors = 0;
  bool write = false;
  bool atomic = false;            // done in the partition that the memory belongs to
  unsigned bytes = kSectorBytes;  // that are written of each sector
  bool sparse = false;            // the request's lines lie here and there
  double now = 0;
  double arrives = 0;  // when what is read from DRAM now would be there
};

// What all SMs' versions of one request find; sectors, as in FoundLine.
struct Found {
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
  L2Contents(const Machine& machine, const StrideTable& strides, L2Options options);

  Found find(L2Request request, const Asker& asker);
  void fill(std::uint64_t address, std::uint64_t bytes);  // held, unwritten, in all partitions
  void forget_times();                                    // nothing is under way

 private:
  // How far each of the other SMs' versions of a request is from the traced one, in their order: in
  // lines, or in bytes where one of them has moved by less than a whole line.
  struct Moves {
    std::uint64_t others_id = 0;
    std::uint64_t own = 0;  // of the asker itself; of irregular instructions
    bool whole_lines = true;
    std::vector<std::uint64_t> others{};
  };

  // All blocks use this line, each time one of them does.
  bool is_shared(std::uint32_t instruction, std::uint64_t line) const {
    return strides_.of[instruction].kind == Strides::Kind::kSame ||
           common_[instruction].contains(line);
  }
  bool sampled(std::uint64_t line) const { return (scatter(line) & (sample_ - 1)) == 0; }
  unsigned fetched(unsigned sectors) const;
  unsigned home(std::uint64_t line) const;
  CacheLine& touch(unsigned side, std::uint64_t line, Found& found);
  void leave(const Leaving& leaving, Found& found) const;
  // One SM's, from its side of the cache.
  void look(unsigned side, const L2Request& request, Found& found, bool own);
  void look_in_sample(unsigned side, const L2Request& request, Found& found, bool own);
  void look_others(const L2Request& request, const Asker& asker, Found& found);
  void look_local(const L2Request& request, std::size_t others, Found& found);
  void look_moved(const L2Request& request, const Moves& moves, Found& found);
  void look_at(const L2Request& request, const LineRing& ring, const Moves& moves, Found& found);
  const Moves& moves_of(std::uint32_t instruction, const Asker& asker);
  unsigned side_of(std::size_t other) const {
    return static_cast<unsigned>((other + 1) % sides_.size());
  }
  void write(unsigned side, const L2Request& request, Found& found);
  Found given(const L2Request& request, double hit, double all);

  const StrideTable& strides_;
  L2Options options_;
  unsigned sample_;
  unsigned fetch_;
  std::vector<Cache> sides_;     // partitions
  std::vector<LineSet> common_;  // per instruction: Strides::common
  struct MissRate {
    double sectors = 0, misses = 0, debt = 0;
  };
  std::vector<MissRate> miss_rate_;        // per instruction
  std::vector<std::vector<Moves>> moves_;  // per instruction, by the id of the others
  std::vector<std::uint8_t> in_sample_;    // for look_at(): of each of the others
};

}  // namespace burin
