#include "read/program/dependences.h"

#include <algorithm>

#include "read/program/reaching.h"

namespace burin::read {
namespace {

// Stable, so that one consumer's dependences stay in the order of registers.
std::vector<Dependence> by_consumer(const std::vector<Dependence>& found,
                                    std::size_t instructions) {
  std::vector<std::size_t> next(instructions + 1, 0);
  for (const Dependence& d : found) ++next[d.consumer + 1];
  for (std::size_t i = 0; i < instructions; ++i) next[i + 1] += next[i];
  std::vector<Dependence> sorted(found.size());
  for (const Dependence& d : found) sorted[next[d.consumer]++] = d;
  return sorted;
}

}  // namespace

void find_dependences(Kernel& kernel) {
  const Accesses accesses = collect_accesses(kernel.instructions);
  ReachingSearch search(kernel, accesses);
  std::vector<Dependence> found;
  for (std::uint32_t number = 0; number < RegisterNumbers::kCount; ++number) {
    if (accesses.writes.of(number).empty()) continue;
    search.select(number);
    for (std::uint32_t consumer : accesses.reads.of(number)) {
      const ReachingSearch::Answer answer = search.producers_of(consumer);
      if (!answer.complete) kernel.partial.push_back(consumer);
      for (std::uint32_t producer : answer.producers) {
        if (!RegisterNumbers::is_scoreboard(number)) {
          const RegisterNumbers::Name name = RegisterNumbers::name(number);
          found.push_back({producer, consumer, Dependence::Kind::kRegister, name.file, name.index});
          continue;
        }
        const auto scoreboard =
            static_cast<std::uint16_t>(number - RegisterNumbers::kScoreboardFirst);
        const Control& control = kernel.instructions[producer].control;
        const auto add = [&](Dependence::Kind kind) {
          found.push_back({producer, consumer, kind, RegisterFile::kGeneral, scoreboard});
        };
        if (control.write_barrier == scoreboard) add(Dependence::Kind::kScoreboardWrite);
        if (control.read_barrier == scoreboard) add(Dependence::Kind::kScoreboardRead);
      }
    }
  }
  kernel.dependences = by_consumer(found, kernel.instructions.size());
  std::sort(kernel.partial.begin(), kernel.partial.end());
  kernel.partial.erase(std::unique(kernel.partial.begin(), kernel.partial.end()),
                       kernel.partial.end());
}

}  // namespace burin::read
