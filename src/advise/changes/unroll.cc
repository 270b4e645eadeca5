// Loops unrolled by the compiler: #pragma unroll N, or 1 to keep it from unrolling.
#include <algorithm>
#include <array>

#include "advise/changes/propose.h"
#include "base/format.h"

namespace burin::advise {
namespace {

constexpr double kMinLoopShare = 0.05;  // of the warp time, in the loop
constexpr std::size_t kMaxLoops = 4;
constexpr std::array<unsigned, 5> kFactors = {4, 2, 8, 1, 16};
constexpr std::array<unsigned, 2> kOuterFactors = {2, 4};

Result<TextEdit> pragma_edit(const CudaText& source, const LoopText& loop, unsigned factor) {
  const Token& keyword = source.tokens()[loop.keyword];
  const std::string pragma = fmt::format("#pragma unroll {}", factor);
  if (loop.keyword > 0) {
    const Token& before = source.tokens()[loop.keyword - 1];
    if (before.kind == Token::Kind::kDirective) {
      const std::string_view text = source.of(loop.keyword - 1);
      if (text.find("unroll") != std::string_view::npos) {
        return TextEdit{before.offset, before.length, pragma};
      }
    }
  }
  if (!source.starts_line(loop.keyword)) return Error{"the loop does not begin its line"};
  std::size_t loops = 0;
  for (std::size_t i = loop.keyword; i < source.tokens().size(); ++i) {
    if (source.tokens()[i].line != keyword.line) break;
    loops += source.is(i, "for") || source.is(i, "while") || source.is(i, "do") ? 1 : 0;
  }
  if (loops > 1) return Error{"several loops are on one line"};
  const std::size_t start = source.line_start(keyword.line);
  const std::string indent = source.text().substr(start, keyword.offset - start);
  return TextEdit{start, 0, indent + pragma + std::string(source.line_ending())};
}

struct HotLoop {
  LoopText loop;
  double share = 0;
};

// The innermost loops, and those with only one loop inside, hottest first.
std::vector<HotLoop> hot_loops(const ProposalInput& input) {
  std::vector<HotLoop> hot;
  for (const FunctionText& f : input.functions) {
    if (!input.is_part(f)) continue;
    for (const LoopText& loop : loops_of(input.source, f)) {
      const double share = input.share(loop.line, loop.last_line);
      if (share >= kMinLoopShare) hot.push_back({loop, share});
    }
  }
  std::ranges::stable_sort(hot, [](const HotLoop& a, const HotLoop& b) {
    if (a.loop.innermost != b.loop.innermost) return a.loop.innermost;
    return a.share > b.share;
  });
  if (hot.size() > kMaxLoops) hot.resize(kMaxLoops);
  return hot;
}

}  // namespace

void propose_unrolling(const ProposalInput& input, Proposals& all) {
  for (const HotLoop& hot : hot_loops(input)) {
    const std::string place = input.at(hot.loop.line);
    const auto propose = [&](unsigned factor) -> Result<void> {
      const Result<TextEdit> edit = pragma_edit(input.source, hot.loop, factor);
      if (!edit) return edit.error();
      Change change{.family = "unroll",
                    .place = place,
                    .title = fmt::format("#pragma unroll {} at {}", factor, place),
                    .line = hot.loop.line,
                    .last_line = hot.loop.last_line,
                    .edits = {*edit}};
      if (factor > 1 && hot.loop.innermost) change.rules = {"loop-unrolling"};
      if (factor == 1) change.rules = {"function-split"};
      all.changes.push_back(std::move(change));
      return {};
    };
    const auto factors = hot.loop.innermost ? std::span<const unsigned>(kFactors)
                                            : std::span<const unsigned>(kOuterFactors);
    for (const unsigned factor : factors) {
      if (const Result<void> done = propose(factor); !done) {
        all.refused.push_back({"#pragma unroll at " + place, done.error().message});
        break;
      }
    }
  }
}

}  // namespace burin::advise
