// Warps that wait at a barrier for the slowest.
//
// Where some code in front of the barrier is executed by a part of the warps only, it is emulated
// spread over all of them; else the barriers, without waiting. Factor f: half of the waits go, for
// what is taken from the slowest goes to the others.
#include <algorithm>

#include "advise/rules/all.h"
#include "advise/slack.h"
#include "base/format.h"

namespace burin {

namespace {

constexpr double kEvened = 0.5;
constexpr double kUneven = 0.6;  // of the warps at most: the others stand by
constexpr double kLeastCode = 0.02;

// The code that few warps execute between the barriers around `barrier`, and by how many.
struct Uneven {
  InstructionSet instructions;
  double share = 1;  // of the warps, a mean by instructions issued
  std::uint32_t hottest = kNoIndex;
};

Uneven uneven_code(const Case& c, std::uint32_t barrier) {
  const Slack slack(c);
  const std::uint32_t loop = c.places.loop_of(barrier);
  const double all = slack.issued(c.kernel.block_of[barrier]);
  Uneven found{.instructions = InstructionSet(c.size())};
  double issued = 0;
  double weighted = 0;
  double most = 0;
  for (std::uint32_t b = 0; b < c.kernel.blocks.size() && all > 0; ++b) {
    const BasicBlock& block = c.kernel.blocks[b];
    if (loop != kNoIndex && !c.places.in_loop(block.first, loop)) continue;
    // How often it is come to: a loop inside counts once.
    double times = slack.issued(b);
    for (std::uint32_t l = block.loop; l != kNoIndex && l != loop; l = c.kernel.loops[l].parent) {
      times = slack.entries(l);
    }
    if (times <= 0 || times > kUneven * all) continue;
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      found.instructions[i] = 1;
      issued += c.blamed.issued[i];
      weighted += c.blamed.issued[i] * times / all;
    }
    if (slack.issued(b) > most) {
      most = slack.issued(b);
      found.hottest = block.first;
    }
  }
  double total = 0;
  for (const double i : c.blamed.issued) total += i;
  if (issued < kLeastCode * total) return {.instructions = {}};
  found.share = weighted / issued;
  return found;
}

class WarpBalance final : public Rule {
  std::string_view id() const override { return "warp-balance"; }
  std::string_view summary() const override { return "waits at barriers for slower warps"; }

  std::vector<Match> match(const Case& c) const override {
    Match match;
    match.stalls = stalls_where(c, [](const BlamedStall& s) { return s.stall == Stall::kBarrier; });
    if (match.stalls.empty()) return {};
    match.factor = kEvened;
    const BlamedStall& hot = hottest(c, match.stalls);
    const Uneven uneven = uneven_code(c, hot.cause);
    if (uneven.hottest != kNoIndex) {
      match.edits = {
          {.kind = Edit::Kind::kShare, .instructions = uneven.instructions, .value = uneven.share}};
      match.relieves = {Resource::kBarrier, Resource::kIssue};
    } else {
      Edit free{.kind = Edit::Kind::kNoBarrierWait, .instructions = InstructionSet(c.size())};
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        const bool barrier = c.at(i).known() && timing_class(c.at(i)) == TimingClass::kBarrier;
        free.instructions[i] = barrier ? 1 : 0;
      }
      match.edits = {std::move(free)};
      match.relieves = {Resource::kBarrier};
    }
    tell(c, hot, uneven, match);
    return {std::move(match)};
  }

  static void tell(const Case& c, const BlamedStall& hot, const Uneven& uneven, Match& match) {
    const std::string barrier = place_name(c.kernel, hot.cause);
    const std::uint32_t loop = c.places.loop_of(hot.cause);
    match.text = fmt::format(
        "{:.0f} % of the time warps stand at a barrier and wait for the last of {}, the most at "
        "{}.",
        100 * share_of(c, match.stalls), (c.block.total() + 31) / 32, barrier);
    if (uneven.hottest != kNoIndex) {
      const std::string place = place_name(c.kernel, uneven.hottest);
      match.text +=
          fmt::format(" Only {:.0f} % of the warps execute {}.", 100 * uneven.share, place);
      match.hint = fmt::format("Spread the work at {} over all threads of the block.", place);
    } else if (loop != kNoIndex) {
      match.hint = fmt::format(
          "Give every warp the same work between the barriers of the {}; where only one warp is "
          "concerned write __syncwarp().",
          c.places.loop_name(loop));
    } else {
      match.hint = fmt::format(
          "Spread the work in front of {} over all warps, or reduce inside of warps "
          "(__shfl_down_sync) and meet at a barrier once.",
          barrier);
    }
  }
};

}  // namespace

const Rule* warp_balance() {
  static const WarpBalance rule;
  return &rule;
}

}  // namespace burin
