// What an instruction's requests to global memory look like in the blocks that were traced: how
// far apart the lanes are, and how often a block comes back to the same bytes.
//
//   const Requests requests(study);
//   requests.of(load).stride          4096: bytes from lane to lane
//   requests.reuse(loads)             8: times that a sector is asked for by a block
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/study.h"

namespace burin::advise {

bool touches_global(const read::Instruction& instruction);  // loads, stores and atomics, of lanes
bool touches_shared(const read::Instruction& instruction);
// Local memory at a fixed place of the frame: a spilled register, not an element of an array that
// is indexed at run time.
bool is_spill(const read::Instruction& instruction);

// Cycles that a load from global memory takes in the mean, of the levels where it is found.
double latency_of(const analyze::Study& study, std::uint32_t load);

struct RequestShape {
  double requests = 0;
  double lanes = 0;                     // in the mean
  double sectors = 0;                   // likewise
  double lines = 0;                     // likewise
  std::optional<std::uint64_t> stride;  // from lane to lane, where most requests have the same
};

class Requests {
 public:
  explicit Requests(const analyze::Study& study);  // which must outlive it

  const RequestShape& of(std::uint32_t instruction) const { return shapes_[instruction]; }
  // Sectors that these instructions ask for, over the different ones among them, in a block.
  double reuse(const read::InstructionSet& instructions) const;
  // Warps of a block that ask for a sector of theirs, in the mean.
  double sharers(const read::InstructionSet& instructions) const;
  // Bytes of the different sectors among them, in a block; and from the first to the last of them.
  double bytes(const read::InstructionSet& instructions) const;
  double span(const read::InstructionSet& instructions) const;
  // Of each instruction's requests, the share that a warp has asked for just before, by the same
  // instruction or one of its kind; of such whose lanes lie side by side, since only these are the
  // same where their sectors are.
  std::vector<double> repeated(std::span<const std::uint32_t> kinds) const;

 private:
  struct Sectors {
    double asked = 0;
    double different = 0;
  };
  Sectors sectors(const read::InstructionSet& instructions) const;

  const timing::BlockTrace& trace_;
  std::vector<RequestShape> shapes_;
};

}  // namespace burin::advise
