#include "advise/case/case.h"

#include <algorithm>

#include "analyze/code/regions.h"
#include "emulate/traffic.h"
#include "emulate/values/lanes.h"

namespace burin::advise {

std::vector<AccessCount> accesses_of(const read::Kernel& kernel,
                                     const timing::Prediction& prediction) {
  std::vector<AccessCount> counts(kernel.instructions.size());
  for (std::size_t i = 0; i < counts.size() && i < prediction.costs.size(); ++i) {
    const timing::InstructionCost& cost = prediction.costs[i];
    counts[i] = {.executed = cost.issued,
                 .sectors = cost.sectors,
                 .ideal_sectors = 0,
                 .passes = cost.passes,
                 .ideal_passes = cost.ideal_passes,
                 .padded_passes = cost.padded_passes};
    const double bytes = emulate::kWarpLanes * read::access_bytes(kernel.instructions[i]);
    const double each = std::max(1.0, bytes / emulate::kSectorBytes);
    if (cost.sectors > 0) counts[i].ideal_sectors = std::min(cost.sectors, cost.issued * each);
  }
  return counts;
}

bool AccessCount::scattered() const {
  constexpr double kScattered = 1.6;  // sectors over the minimum
  return ideal_sectors > 0 && sectors >= kScattered * ideal_sectors;
}

bool Case::executed(std::uint32_t instruction) const {
  if (!accesses.empty()) return accesses[instruction].executed > 0;
  if (study != nullptr) return study->base().costs[instruction].issued > 0;
  return blamed.total_of(instruction) > 0;
}

std::string Case::source(std::uint32_t instruction) const {
  if (!source_line) return {};
  const analyze::SourceLine line = analyze::line_of(kernel, instruction);
  return line.line == 0 ? std::string() : source_line(line.file, line.line);
}

}  // namespace burin::advise
