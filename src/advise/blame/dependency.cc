#include "advise/blame/dependency.h"

#include <array>

#include "read/isa/traits.h"

namespace burin {
namespace {

using Search = BlameSearch;

// In the order of Stall.
constexpr std::array<Search, kStalls> kSearches = {
    Search::kScoreboard,       // long_scoreboard
    Search::kScoreboard,       // short_scoreboard
    Search::kBefore,           // wait
    Search::kSynchronization,  // barrier
    Search::kOwn,              // math_pipe_throttle
    Search::kOwn,              // mio_throttle
    Search::kOwn,              // lg_throttle
    Search::kOwn,              // not_selected
    Search::kOwn,              // no_instruction
    Search::kBefore,           // branch_resolving
    Search::kOwn,              // dispatch_stall
    Search::kConstant,         // imc_miss
    Search::kSynchronization,  // membar
    Search::kOwn,              // sleeping
    Search::kOwn,              // drain
    Search::kProducts,         // gmma
    Search::kOwn,              // misc
};

constexpr std::array<std::string_view, kDependencies> kNames = {
    "global_memory",    "local_memory",    "constant_memory", "shared_memory", "arithmetic",
    "write_after_read", "synchronization", "control",         "own",           "unknown",
};

}  // namespace

std::string_view name(Dependency dependency) {
  return kNames[static_cast<std::size_t>(dependency)];
}

BlameSearch search_of(Stall stall) {
  return kSearches[static_cast<std::size_t>(stall)];
}

bool is_product(const Instruction& instruction) {
  return timing_class(instruction) == TimingClass::kWgmma;
}

bool is_long(const Instruction& instruction) {
  if (!instruction.known()) return false;
  const Sync sync = sync_of(instruction);
  if (sync == Sync::kCopyCommit || sync == Sync::kMbarrier) return true;
  const Pipe pipe = instruction.opcode->pipe;
  if (pipe == Pipe::kTexture || pipe == Pipe::kBulk) return true;
  const Space space = instruction.opcode->space;
  return pipe == Pipe::kLsu &&
         (space == Space::kGlobal || space == Space::kLocal || space == Space::kGeneric);
}

BlamedStall uncaused(std::uint32_t waits, Stall stall, const StallCycles& cycles) {
  const bool own = search_of(stall) == BlameSearch::kOwn;
  return {.cause = waits,
          .waits = waits,
          .stall = stall,
          .dependency = own ? Dependency::kOwn : Dependency::kUnknown,
          .cycles = cycles};
}

Dependency dependency_of(const Instruction& cause, Stall stall, bool after_read) {
  if (search_of(stall) == Search::kOwn) return Dependency::kOwn;
  if (after_read) return Dependency::kWriteAfterRead;
  if (stall == Stall::kImcMiss) return Dependency::kConstantMemory;
  if (!cause.known()) return Dependency::kArithmetic;
  if (cause.opcode->flow != Opcode::kNext || stall == Stall::kBranchResolving) {
    return Dependency::kControl;
  }
  if (search_of(stall) == Search::kSynchronization) return Dependency::kSynchronization;
  // The count of cycles behind an instruction is the same whatever its memory does.
  if (stall == Stall::kWait) {
    return is_synchronization(cause) ? Dependency::kSynchronization : Dependency::kArithmetic;
  }
  if (is_synchronization(cause)) return Dependency::kSynchronization;
  if (sync_of(cause) == Sync::kCopyCommit) return Dependency::kGlobalMemory;
  if (cause.opcode->pipe == Pipe::kTexture || cause.opcode->pipe == Pipe::kBulk) {
    return Dependency::kGlobalMemory;
  }
  switch (cause.opcode->space) {
    case Space::kGlobal:
      return Dependency::kGlobalMemory;
    case Space::kLocal:
      return Dependency::kLocalMemory;
    case Space::kConstant:
      return Dependency::kConstantMemory;
    case Space::kShared:
      return Dependency::kSharedMemory;
    case Space::kGeneric:
      return stall == Stall::kLongScoreboard ? Dependency::kGlobalMemory
                                             : Dependency::kSharedMemory;
    default:
      return Dependency::kArithmetic;
  }
}

}  // namespace burin
