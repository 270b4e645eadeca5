// Code that does not fit into the instruction cache.
#include "advise/case/source_text.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {

namespace {

// Smaller code must still be fetched once, and a loop instead of copies has its own cost.
constexpr double kSplitOff = 0.8;

class FunctionSplit final : public Rule {
  std::string_view id() const override { return "function-split"; }
  std::string_view summary() const override { return "instruction fetch stalls"; }

  std::vector<Match> match(const Case& c) const override {
    Match match;
    match.stalls = stalls_where(
        c, [](const BlamedStall& s) { return s.stall == launch::Stall::kNoInstruction; });
    if (match.stalls.empty()) return {};
    match.factor = match.reach = kSplitOff;
    match.edits = {
        {.kind = analyze::Edit::Kind::kFetched, .instructions = read::InstructionSet(c.size(), 1)}};
    match.relieves = {machine::Resource::kFetch};
    match.toll = kDefaultToll;
    const BlamedStall& hot = hottest_of_line(c, match.stalls);
    match.where = hot.waits;
    const std::uint32_t loop = c.places.outermost(c.places.loop_of(hot.waits));
    const std::size_t bytes =
        loop == read::kNoIndex ? c.kernel.function->code.size() : loop_bytes(c, loop);
    match.text = fmt::format(
        "Instruction fetch stalls take {:.0f} % of warp time: {} has {} of code, the L0 "
        "instruction "
        "cache of a scheduler holds {}.",
        100 * share_of(c, match.stalls),
        loop == read::kNoIndex ? "the kernel" : "the " + loop_name(c, loop), human_bytes(bytes),
        human_bytes(static_cast<std::uint64_t>(c.machine.fetch.l0)));
    if (loop == read::kNoIndex) {
      match.hint =
          "Each warp executes the code once, so every line is a cold miss. Shrink the code (less "
          "unrolling, less inlining), and move long, rarely taken branches into a __noinline__ "
          "function.";
    } else if (static_cast<double>(bytes) > c.machine.fetch.l0) {
      match.hint = fmt::format(
          "Shrink the {}: lower the unroll factor (#pragma unroll 1), mark large functions called "
          "in it __noinline__, or split the loop.",
          loop_name(c, loop));
    } else {
      match.hint = fmt::format(
          "Warps execute different parts of the {}. Keep them together (fewer branches), or shrink "
          "the code.",
          loop_name(c, loop));
    }
    return {std::move(match)};
  }

  static std::size_t loop_bytes(const Case& c, std::uint32_t loop) {
    std::size_t bytes = 0;
    for (const std::uint32_t b : c.kernel.loops[loop].blocks) {
      bytes += 16 * (c.kernel.blocks[b].last - c.kernel.blocks[b].first + std::size_t{1});
    }
    return bytes;
  }
};

}  // namespace

const Rule* function_split() {
  static const FunctionSplit rule;
  return &rule;
}

}  // namespace burin::advise
