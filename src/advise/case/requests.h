// The shape of an instruction's requests to global memory in the traced blocks: the stride between
// lanes, and how often a block accesses the same bytes again.
//
//   const Requests requests(study);
//   requests.of(load).stride          4096: bytes from lane to lane
//   requests.reuse(loads)             8: times that a block requests the same sector
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/study/study.h"
#include "read/program/instruction_set.h"

namespace burin::advise {

bool touches_global(const read::Instruction& instruction);  // per-lane loads, stores and atomics
bool touches_shared(const read::Instruction& instruction);
// Returns the offset of the stack slot that a load or store of local memory accesses without an
// index.
std::optional<std::int64_t> frame_place(const read::Instruction& instruction);
inline constexpr std::uint32_t kMaxThreadRegisters = 255;  // per thread
// Registers per thread are allocated in these units.
inline constexpr std::uint32_t kRegisterGranularity = 8;
// Loads and stores of spilled registers: words at fixed places of the frame. Elements of an array
// that is indexed at run time can be at fixed places too; in a kernel with such an array, and with
// registers to spare, everything in local memory is arrays.
read::InstructionSet spills_in(const read::Kernel& kernel);

// Returns the mean latency of a global load in cycles, over the memory levels where it hits.
double latency_of(const analyze::Study& study, std::uint32_t load);

struct RequestShape {
  double requests = 0;
  double lanes = 0;                     // mean active lanes
  double sectors = 0;                   // mean sectors per request
  double lines = 0;                     // mean cache lines per request
  double collisions = 0;                // atomics: mean lanes at the address with the most lanes
  std::optional<std::uint64_t> stride;  // bytes between lanes, if equal for most requests
};

class Requests {
 public:
  explicit Requests(const analyze::Study& study);  // must outlive this object

  const RequestShape& of(std::uint32_t instruction) const { return shapes_[instruction]; }
  // Returns the largest power of two that divides the address of every request's first lane.
  std::uint64_t alignment_of(std::uint32_t instruction) const;
  // Returns the bytes from a warp's first request by the instruction to its second; empty: there
  // are no two, or the second address is not larger.
  std::optional<std::uint64_t> step_of(std::uint32_t instruction) const;
  // Returns the sectors that the instructions request in a block, divided by the number of distinct
  // sectors.
  double reuse(const read::InstructionSet& instructions) const;
  // Returns the mean number of warps of a block that request the same sector.
  double sharers(const read::InstructionSet& instructions) const;
  // bytes(): bytes of the distinct sectors that the instructions request in a block. span(): bytes
  // from the first to the last of these sectors.
  double bytes(const read::InstructionSet& instructions) const;
  double span(const read::InstructionSet& instructions) const;
  // Returns the number of stretches of adjacent sectors that the instructions request in a block:
  // rows of a patch.
  std::size_t stretches(const read::InstructionSet& instructions) const;
  // Returns, for each instruction, the fraction of its sectors that other instructions of the same
  // warp request too.
  std::vector<double> shared_sectors() const;
  // Requests of each instruction that repeat the warp's preceding request, lane by lane, in several
  // of the traced blocks. Only requests with adjacent lanes count as repeated.
  struct Repeats {
    // That repeat the instruction's own, or, of all requests of its kind, those that repeat one of
    // the kind: the larger share.
    std::vector<double> share{};
    std::vector<double> own{};      // that repeat the instruction's own
    std::vector<double> of_last{};  // that repeat the preceding request of the instruction's kind
  };
  // `kinds` numbers the copies of a load in an unrolled loop alike (analyze::copy_kinds).
  Repeats repeated(std::span<const std::uint32_t> kinds) const;
  // The fraction of requests that load the same bytes, lane by lane, as an earlier load of the warp
  // by another instruction: each thread has already loaded the value. Not counted: repeats of the
  // preceding request of the instruction's kind, which are no values of an earlier iteration.
  std::vector<double> passed_on(std::span<const std::uint32_t> kinds) const;

 private:
  std::vector<double> shares(std::vector<double> counts) const;  // of each instruction's requests
  struct Sectors {
    double asked = 0;
    double different = 0;
  };
  Sectors sectors(const read::InstructionSet& instructions) const;

  const timing::TracedLaunch& traced_;
  const timing::BlockTrace& trace_;
  std::vector<RequestShape> shapes_;
};

}  // namespace burin::advise
