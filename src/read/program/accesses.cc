#include "read/program/accesses.h"

#include <algorithm>

namespace burin::read {
namespace {

using Numbers = RegisterNumbers;

struct FileRange {
  RegisterFile file;
  std::uint32_t first;
  std::uint32_t end;
};
constexpr FileRange kFiles[] = {
    {RegisterFile::kGeneral, 0, Numbers::kUniformFirst},
    {RegisterFile::kUniform, Numbers::kUniformFirst, Numbers::kPredicateFirst},
    {RegisterFile::kPredicate, Numbers::kPredicateFirst, Numbers::kUniformPredicateFirst},
    {RegisterFile::kUniformPredicate, Numbers::kUniformPredicateFirst, Numbers::kConvergenceFirst},
    {RegisterFile::kConvergence, Numbers::kConvergenceFirst, Numbers::kScoreboardFirst},
};

// Calls visit(scoreboard, count) for each that the instruction waits on: until it is <= count.
template <typename Visit>
void for_each_wait(const Instruction& instruction, Visit visit) {
  for (std::uint32_t s = 0; s < kScoreboards; ++s)
    if (instruction.control.wait_mask >> s & 1) visit(s, 0u);
  // DEPBAR.LE SB0, 0x1, {5,4}: a scoreboard, the count it may keep, and a set of further ones.
  std::uint32_t compared = kScoreboards, count = 0;
  for (const Operand& o : instruction.operands()) {
    if (o.kind == Operand::Kind::kScoreboard && o.value >= 0 && o.value < kScoreboards) {
      compared = static_cast<std::uint32_t>(o.value);
    } else if (o.kind == Operand::Kind::kScoreboardSet) {
      for (std::uint32_t s = 0; s < kScoreboards; ++s)
        if (o.value >> s & 1) visit(s, 0u);
    } else if (compared < kScoreboards && o.kind == Operand::Kind::kImmediate) {
      count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(o.value, 0, 63));
    }
  }
  if (compared < kScoreboards) visit(compared, count);
}

}  // namespace

RegisterNumbers::Name RegisterNumbers::name(std::uint32_t number) {
  for (const FileRange& range : kFiles)
    if (number < range.end) return {range.file, static_cast<std::uint16_t>(number - range.first)};
  return {RegisterFile::kGeneral, kZeroRegister};
}

AccessLists::AccessLists(std::span<const Event> events) : start_(RegisterNumbers::kCount + 1, 0) {
  // Counting sort by register; it is stable, so each list ascends and repeats are neighbours.
  std::vector<std::uint32_t> last(RegisterNumbers::kCount, ~0u);
  const auto for_each_new = [&](auto visit) {
    std::fill(last.begin(), last.end(), ~0u);
    for (const Event& event : events) {
      if (last[event.number] == event.instruction) continue;
      last[event.number] = event.instruction;
      visit(event);
    }
  };
  for_each_new([&](const Event& event) { ++start_[event.number + 1]; });
  for (std::uint32_t r = 0; r < RegisterNumbers::kCount; ++r) start_[r + 1] += start_[r];
  instructions_.resize(start_.back());
  std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
  for_each_new(
      [&](const Event& event) { instructions_[next[event.number]++] = event.instruction; });
}

std::uint32_t Accesses::wait_count(std::uint32_t number, std::uint32_t i) const {
  // The least of several: one instruction may wait twice on one scoreboard.
  std::uint32_t count = 0;
  const auto from = std::lower_bound(partial_waits.begin(), partial_waits.end(), i,
                                     [](const PartialWait& wait, std::uint32_t instruction) {
                                       return wait.instruction < instruction;
                                     });
  for (auto wait = from; wait != partial_waits.end() && wait->instruction == i; ++wait)
    if (wait->number == number) count = count == 0 ? wait->count : std::min(count, wait->count);
  const std::span<const std::uint32_t> cleared = clears.of(number);
  return std::binary_search(cleared.begin(), cleared.end(), i) ? 0 : count;
}

Accesses collect_accesses(std::span<const Instruction> instructions) {
  std::vector<AccessLists::Event> writes, reads, clears;
  std::vector<Accesses::PartialWait> partial_waits;
  std::vector<Literals> guards(instructions.size(), 0);
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    // The scheduler waits before it looks at the guard.
    for_each_wait(instruction, [&](std::uint32_t scoreboard, std::uint32_t count) {
      const std::uint32_t number = Numbers::kScoreboardFirst + scoreboard;
      reads.push_back({number, i});
      if (count == 0) {
        clears.push_back({number, i});
      } else {
        partial_waits.push_back({i, number, count});
      }
    });
    if (never_executes(instruction)) continue;
    guards[i] = guard_of(instruction);
    const auto collect = [&](std::vector<AccessLists::Event>& events) {
      return [&events, i](RegisterFile file, std::uint32_t first, std::uint32_t count) {
        for (const FileRange& range : kFiles) {
          if (range.file != file) continue;
          const std::uint32_t end = std::min(range.first + first + count, range.end);
          for (std::uint32_t number = range.first + first; number < end; ++number)
            events.push_back({number, i});
        }
      };
    };
    for_each_read(instruction, collect(reads));
    for_each_write(instruction, collect(writes));
    for (std::uint8_t scoreboard :
         {instruction.control.write_barrier, instruction.control.read_barrier}) {
      if (scoreboard < kScoreboards) writes.push_back({Numbers::kScoreboardFirst + scoreboard, i});
    }
  }
  return {AccessLists(writes), AccessLists(reads), AccessLists(clears), std::move(guards),
          std::move(partial_waits)};
}

}  // namespace burin::read
