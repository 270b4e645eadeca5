// Blame of samples: sources found, pruned, and given their part by equation 1.
#include "advise/blame.h"
#include "advise/blame_dependency.h"

namespace burin {

BlamedProfile blame(const Kernel& kernel, const StallProfile& profile, const Machine&,
                    const BlameOptions&) {
  BlamedProfile blamed{.source = BlamedProfile::Source::kSamples,
                       .unattributed = profile.unattributed};
  blamed.issued.resize(kernel.instructions.size());
  for (const StallRow& row : profile.rows) {
    const std::uint64_t i = row.offset / 16;
    if (i >= kernel.instructions.size()) {
      blamed.unattributed += row.total();
      continue;
    }
    blamed.issued[i] += row.issued;
    for (std::size_t s = 0; s < kStalls; ++s) {
      if (row.stalls[s].sum() <= 0) continue;
      const Stall stall = static_cast<Stall>(s);
      const bool own = search_of(stall) == BlameSearch::kOwn;
      blamed.stalls.push_back({.cause = static_cast<std::uint32_t>(i),
                               .waits = static_cast<std::uint32_t>(i),
                               .stall = stall,
                               .dependency = own ? Dependency::kOwn : Dependency::kUnknown,
                               .cycles = row.stalls[s]});
    }
  }
  settle(blamed);
  return blamed;
}

}  // namespace burin
