// Warps that wait at a barrier for the slowest.
#include "advise/rules/all.h"
#include "base/format.h"

namespace burin {

namespace {

class WarpBalance final : public Rule {
  std::string_view id() const override { return "warp-balance"; }
  std::string_view summary() const override { return "waits at barriers for slower warps"; }

  std::vector<Match> match(const Case& c) const override {
    Match match;
    match.stalls = stalls_where(c, [](const BlamedStall& s) { return s.stall == Stall::kBarrier; });
    if (match.stalls.empty()) return {};
    Edit free{.kind = Edit::Kind::kNoBarrierWait, .instructions = InstructionSet(c.size())};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (c.at(i).known() && timing_class(c.at(i)) == TimingClass::kBarrier)
        free.instructions[i] = 1;
    }
    match.edits = {std::move(free)};
    match.relieves = {Resource::kBarrier};
    const BlamedStall& hot = hottest(c, match.stalls);
    const std::string barrier = place_name(c.kernel, hot.waits);
    const std::uint32_t loop = c.places.loop_of(hot.waits);
    match.text = fmt::format(
        "{:.0f} % of the time warps stand at a barrier and wait for the last "
        "of {}, the most at {}.",
        100 * share_of(c, match.stalls), (c.block.total() + 31) / 32, barrier);
    if (loop != kNoIndex) {
      match.hint = fmt::format(
          "Give every warp the same work between the barriers of the {}; where only one warp is "
          "concerned write __syncwarp(), and where half of the threads idle let them take other "
          "elements.",
          c.places.loop_name(loop));
    } else {
      match.hint = fmt::format(
          "Spread the work in front of {} over all warps, or reduce inside of "
          "warps (__shfl_down_sync) and meet at a barrier once.",
          barrier);
    }
    return {std::move(match)};
  }
};

}  // namespace

const Rule* warp_balance() {
  static const WarpBalance rule;
  return &rule;
}

}  // namespace burin
