#include "advise/blame/dependency.h"

#include <array>

#include "read/isa/traits.h"

namespace burin::advise {
namespace {

using Search = BlameSearch;

// In the order of Stall.
constexpr std::array<Search, launch::kStalls> kSearches = {
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
    Search::kStores,           // drain
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

BlameSearch search_of(launch::Stall stall) {
  return kSearches[static_cast<std::size_t>(stall)];
}

bool is_product(const read::Instruction& instruction) {
  return machine::timing_class(instruction) == machine::TimingClass::kWgmma;
}

bool is_long(const read::Instruction& instruction) {
  if (!instruction.known()) return false;
  const read::Sync sync = read::sync_of(instruction);
  if (sync == read::Sync::kCopyCommit || sync == read::Sync::kMbarrier) return true;
  const read::Pipe pipe = instruction.opcode->pipe;
  if (pipe == read::Pipe::kTexture || pipe == read::Pipe::kBulk) return true;
  const read::Space space = instruction.opcode->space;
  return pipe == read::Pipe::kLsu &&
         (space == read::Space::kGlobal || space == read::Space::kLocal ||
          space == read::Space::kGeneric);
}

BlamedStall uncaused(std::uint32_t waits, launch::Stall stall, const launch::StallCycles& cycles) {
  const bool own = search_of(stall) == BlameSearch::kOwn;
  return {.cause = waits,
          .waits = waits,
          .stall = stall,
          .dependency = own ? Dependency::kOwn : Dependency::kUnknown,
          .cycles = cycles};
}

Dependency dependency_of(const read::Instruction& cause, launch::Stall stall, bool after_read) {
  if (search_of(stall) == Search::kOwn) return Dependency::kOwn;
  if (after_read) return Dependency::kWriteAfterRead;
  if (stall == launch::Stall::kImcMiss) return Dependency::kConstantMemory;
  if (!cause.known()) return Dependency::kArithmetic;
  if (cause.opcode->flow != read::Opcode::kNext || stall == launch::Stall::kBranchResolving) {
    return Dependency::kControl;
  }
  if (search_of(stall) == Search::kSynchronization) return Dependency::kSynchronization;
  // The stall count of an instruction does not depend on its memory access.
  if (stall == launch::Stall::kWait) {
    return read::is_synchronization(cause) ? Dependency::kSynchronization : Dependency::kArithmetic;
  }
  if (read::is_synchronization(cause)) return Dependency::kSynchronization;
  if (read::sync_of(cause) == read::Sync::kCopyCommit) return Dependency::kGlobalMemory;
  if (cause.opcode->pipe == read::Pipe::kTexture || cause.opcode->pipe == read::Pipe::kBulk) {
    return Dependency::kGlobalMemory;
  }
  switch (cause.opcode->space) {
    case read::Space::kGlobal:
      return Dependency::kGlobalMemory;
    case read::Space::kLocal:
      return Dependency::kLocalMemory;
    case read::Space::kConstant:
      return Dependency::kConstantMemory;
    case read::Space::kShared:
      return Dependency::kSharedMemory;
    case read::Space::kGeneric:
      return stall == launch::Stall::kLongScoreboard ? Dependency::kGlobalMemory
                                                     : Dependency::kSharedMemory;
    default:
      return Dependency::kArithmetic;
  }
}

}  // namespace burin::advise
