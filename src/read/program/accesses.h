// The instructions that write and read each register. All register files and the six scoreboards
// share one numbering, so that one search handles them all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "read/isa/instruction.h"
#include "read/program/predicates.h"

namespace burin::read {

inline constexpr std::uint32_t kScoreboards = 6;

// Numbers every register of every file and every scoreboard.
struct RegisterNumbers {
  static constexpr std::uint32_t kUniformFirst = 256;
  static constexpr std::uint32_t kPredicateFirst = 512;
  static constexpr std::uint32_t kUniformPredicateFirst = 520;
  static constexpr std::uint32_t kConvergenceFirst = 528;
  static constexpr std::uint32_t kScoreboardFirst = 544;
  static constexpr std::uint32_t kCount = kScoreboardFirst + kScoreboards;

  struct Name {
    RegisterFile file;
    std::uint16_t index;
  };
  static Name name(std::uint32_t number);  // `number` must be below kScoreboardFirst
  static bool is_scoreboard(std::uint32_t number) { return number >= kScoreboardFirst; }
  // The register number of predicate p, which literal bits 2p and 2p + 1 refer to.
  static std::uint32_t predicate(std::uint32_t p) { return kPredicateFirst + p; }
};

// One list of instructions per register, in ascending order.
class AccessLists {
 public:
  struct Event {
    std::uint32_t number;
    std::uint32_t instruction;
  };
  // `events` must be sorted by instruction; duplicates are counted once.
  explicit AccessLists(std::span<const Event> events);

  std::span<const std::uint32_t> of(std::uint32_t number) const {
    return std::span(instructions_).subspan(start_[number], start_[number + 1] - start_[number]);
  }

 private:
  std::vector<std::uint32_t> start_;
  std::vector<std::uint32_t> instructions_;
};

struct Accesses {
  AccessLists writes;            // for a scoreboard: the instructions that set it
  AccessLists reads;             // for a scoreboard: the instructions that wait for it
  AccessLists clears;            // scoreboards only: the instructions that wait until it is zero
  std::vector<Literals> guards;  // per instruction, its guard

  // The value to which scoreboard `number` must drop before instruction `i`, a reader of it,
  // issues.
  std::uint32_t wait_count(std::uint32_t number, std::uint32_t i) const;

  struct PartialWait {
    std::uint32_t instruction;
    std::uint32_t number;
    std::uint32_t count;
  };
  std::vector<PartialWait> partial_waits;  // DEPBARs with a count above zero, sorted by instruction
};

Accesses collect_accesses(std::span<const Instruction> instructions);

}  // namespace burin::read
