// Who writes and who reads each register. All register files and the six scoreboards share one
// numbering here, so that one search serves them all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "read/isa/instruction.h"
#include "read/program/predicates.h"

namespace burin::read {

inline constexpr std::uint32_t kScoreboards = 6;

// A register of a file, or a scoreboard, as one number.
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
  static Name name(std::uint32_t number);  // of a number below kScoreboardFirst
  static bool is_scoreboard(std::uint32_t number) { return number >= kScoreboardFirst; }
  // The predicate that literal bits 2p and 2p + 1 speak of.
  static std::uint32_t predicate(std::uint32_t p) { return kPredicateFirst + p; }
};

// Lists of instructions, ascending, one per register.
class AccessLists {
 public:
  struct Event {
    std::uint32_t number;
    std::uint32_t instruction;
  };
  // `events` by ascending instruction; a repeated event counts once.
  explicit AccessLists(std::span<const Event> events);

  std::span<const std::uint32_t> of(std::uint32_t number) const {
    return std::span(instructions_).subspan(start_[number], start_[number + 1] - start_[number]);
  }

 private:
  std::vector<std::uint32_t> start_;
  std::vector<std::uint32_t> instructions_;
};

struct Accesses {
  AccessLists writes;            // of a scoreboard: the instructions that set it
  AccessLists reads;             // of a scoreboard: those that wait for it
  AccessLists clears;            // scoreboards only: those that wait until it is zero
  std::vector<Literals> guards;  // per instruction

  // The value down to which instruction `i`, a reader of scoreboard `number`, waits.
  std::uint32_t wait_count(std::uint32_t number, std::uint32_t i) const;

  struct PartialWait {
    std::uint32_t instruction;
    std::uint32_t number;
    std::uint32_t count;
  };
  std::vector<PartialWait> partial_waits;  // DEPBAR with a count above zero, by instruction
};

Accesses collect_accesses(std::span<const Instruction> instructions);

}  // namespace burin::read
