// A block loads the same bytes of global memory again and again.
//
// Staged once in shared memory they are near; and what a lane reads side by side it reads from
// there in one go, since the tile's alignment is the kernel's own.
#include <algorithm>

#include "advise/access_run.h"
#include "advise/requests.h"
#include "advise/rules/all.h"
#include "base/format.h"

namespace burin {

namespace {

constexpr double kLeastReuse = 4;  // times that a block asks for a sector
constexpr double kHeld = 0.5;      // of its sectors: L1 does what shared memory would do

double hit_rate(const Case& c, const InstructionSet& loads) {
  double sectors = 0;
  double hits = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (loads[i] == 0) continue;
    sectors += c.study->base().costs[i].sectors;
    hits += c.study->base().costs[i].l1_hits;
  }
  return sectors > 0 ? hits / sectors : 0;
}

class SharedStaging final : public Rule {
  std::string_view id() const override { return "shared-staging"; }
  std::string_view summary() const override {
    return "global memory that a block reads again and again";
  }

  std::vector<Match> match(const Case& c) const override {
    if (c.study == nullptr) return {};
    const Requests requests(*c.study);
    InstructionSet loads(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool load = touches_global(c.at(i)) && !c.at(i).opcode->stores && c.executed(i);
      loads[i] = load && c.places.loop_of(i) != kNoIndex ? 1 : 0;
    }
    const double reuse = requests.reuse(loads);
    if (reuse < kLeastReuse || c.block.total() < 64) return {};
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return (s.dependency == Dependency::kGlobalMemory && loads[s.cause] != 0) ||
             (s.stall == Stall::kLgThrottle && loads[s.waits] != 0);
    });
    if (match.stalls.empty()) return {};
    for (MatchedStall& m : match.stalls) m.weight = 1 - 1 / reuse;
    // What L1 holds anyway comes no sooner from shared memory.
    if (hit_rate(c, loads) < kHeld) {
      match.edits = {{.kind = Edit::Kind::kL1Hit, .instructions = loads}};
    }
    // Four words at a time; and each element is loaded, and stored into the tile, by one thread.
    Edit joined{.kind = Edit::Kind::kShare,
                .instructions = InstructionSet(c.size()),
                .value = std::min(1.0, 0.25 + 2 / reuse)};
    for (const AccessRun& run : access_runs(c.kernel)) {
      if (run.instructions.size() * run.bytes < 16 || loads[run.instructions[0]] == 0) continue;
      for (const std::uint32_t i : run.instructions) joined.instructions[i] = 1;
    }
    if (std::ranges::find(joined.instructions, std::uint8_t{1}) != joined.instructions.end()) {
      match.edits.push_back(std::move(joined));
    }
    if (match.edits.empty()) return {};
    match.relieves = {Resource::kLsu, Resource::kL1, Resource::kL2, Resource::kDram,
                      Resource::kIssue};
    const BlamedStall& hot = hottest(c, match.stalls);
    match.where = loads[hot.cause] != 0 ? hot.cause : hot.waits;
    const std::string loop = c.places.loop_name(c.places.loop_of(hot.cause));
    match.text = fmt::format(
        "A block asks for each sector that it reads in the {} {:.0f} times; waiting for it takes "
        "{:.0f} % of the time.",
        loop, reuse, 100 * share_of(c, match.stalls));
    match.hint = fmt::format(
        "Let the threads of a block load a tile into __shared__ memory together, each element "
        "once, and read it from there at {}.",
        place_name(c.kernel, hot.cause));
    return {std::move(match)};
  }
};

}  // namespace

const Rule* shared_staging() {
  static const SharedStaging rule;
  return &rule;
}

}  // namespace burin
