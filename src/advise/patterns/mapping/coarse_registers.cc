#include "advise/patterns/mapping/coarse_registers.h"

#include <algorithm>
#include <set>

namespace burin::advise {

namespace {

// The differing registers that keep their values across an iteration of the loop.
std::size_t kept_across(const Case& c, const read::InstructionSet& differs, std::uint32_t loop) {
  const std::uint32_t header = c.kernel.blocks[c.kernel.loops[loop].header].first;
  std::uint32_t last = header;
  for (const std::uint32_t b : c.kernel.loops[loop].blocks) {
    last = std::max(last, c.kernel.blocks[b].last);
  }
  std::set<std::uint16_t> kept;
  for (const read::Dependence& d : c.kernel.dependences) {
    const bool general =
        d.kind == read::Dependence::Kind::kRegister && d.file == read::RegisterFile::kGeneral;
    if (!general || differs[d.producer] == 0) continue;
    const bool made_inside = c.places.in_loop(d.producer, loop);
    const bool used_inside = c.places.in_loop(d.consumer, loop);
    const bool carried = made_inside && used_inside && d.consumer <= d.producer;
    const bool enters = !made_inside && used_inside;
    const bool passes = !made_inside && !used_inside && d.producer < header && d.consumer > last;
    if (carried || enters || passes) kept.insert(d.index);
  }
  return kept.size();
}

}  // namespace

unsigned coarse_registers(const Case& c, const read::InstructionSet& differs, unsigned times) {
  std::size_t most = 0;
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    const std::uint32_t header = c.kernel.blocks[c.kernel.loops[loop].header].first;
    if (c.executed(header)) most = std::max(most, kept_across(c, differs, loop));
  }
  return static_cast<unsigned>(c.needs.registers + (times - 1) * most);
}

}  // namespace burin::advise
