#include "advise/patterns/code/access_run.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "advise/case/place.h"
#include "advise/case/requests.h"

namespace burin::advise {

namespace {

// Common properties of a run's accesses: kind, width, guard, base registers and their version.
struct Base {
  bool store = false;
  bool shared = false;
  unsigned bytes = 0;
  std::uint16_t guard = 0;
  bool negated = false;
  std::uint16_t general = 0;
  std::uint16_t uniform = 0;
  std::uint32_t written_at = 0;  // number of earlier writes of the base in the block

  auto operator<=>(const Base&) const = default;
};

using Accesses = std::map<std::int64_t, std::uint32_t>;  // by offset

// Gapless runs of `wanted` accesses that start at an offset aligned for a wider access.
void cut(const Base& base, const Accesses& accesses, std::vector<AccessRun>& runs) {
  for (auto at = accesses.begin(); at != accesses.end();) {
    AccessRun run{.bytes = base.bytes};
    std::int64_t next = at->first;
    while (at != accesses.end() && at->first == next &&
           run.instructions.size() < kWidestAccess / base.bytes) {
      run.instructions.push_back(at->second);
      next += base.bytes;
      ++at;
    }
    run.instructions.resize(std::bit_floor(run.instructions.size()));
    if (run.instructions.size() > 1) runs.push_back(std::move(run));
  }
}

}  // namespace

std::vector<AccessRun> access_runs(const read::Kernel& kernel) {
  std::vector<AccessRun> runs;
  for (const read::BasicBlock& block : kernel.blocks) {
    std::map<Base, Accesses> all;
    std::map<std::pair<read::RegisterFile, std::uint16_t>, std::uint32_t> writes;
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      const read::Instruction& at = kernel.instructions[i];
      const unsigned bytes = read::access_bytes(at);
      const read::Operand* memory = read::address_of(at);
      const bool plain = at.known() && at.opcode->loads != at.opcode->stores;
      if (memory != nullptr && plain && bytes > 0 && bytes < kWidestAccess &&
          (touches_global(at) || touches_shared(at))) {
        const Base base{.store = at.opcode->stores,
                        .shared = touches_shared(at),
                        .bytes = bytes,
                        .guard = at.guard.index,
                        .negated = at.guard.negated,
                        .general = memory->base,
                        .uniform = memory->uniform,
                        .written_at = writes[{read::RegisterFile::kGeneral, memory->base}] +
                                      writes[{read::RegisterFile::kUniform, memory->uniform}]};
        all[base].emplace(memory->value, i);
      }
      read::for_each_write(at, [&](read::RegisterFile file, std::uint16_t first, unsigned count) {
        for (unsigned k = 0; k < count; ++k)
          ++writes[{file, static_cast<std::uint16_t>(first + k)}];
      });
    }
    for (const auto& [base, accesses] : all) cut(base, accesses, runs);
  }
  return runs;
}

}  // namespace burin::advise
