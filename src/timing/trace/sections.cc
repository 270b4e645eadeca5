#include "timing/trace/sections.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace burin::timing {

namespace {

constexpr std::uint32_t kMinPasses = 12;  // passes of a loop that is shortened
constexpr std::uint32_t kMinKept = 8;     // replayed passes at its start
// Minimum replayed steps at its start, until all warps are in the loop.
constexpr std::uint32_t kMinSteps = 600;
constexpr std::uint32_t kLastKept = 2;  // replayed passes at its end
// If the represented steps are off by more than kMaxImbalance, another way to shorten is tried.
constexpr double kMaxImbalance = 0.05;
constexpr std::uint32_t kParts = 8;

enum class Way : std::uint8_t {
  kEqualPasses,  // some passes at the start of a loop, and some at its end
  kStretches,    // a loop with unequal passes is divided into kParts parts; some passes of each
  // As kEqualPasses, but an inner loop ends with each pass of the outer loop. The other ways take
  // all its passes for one long loop, and what runs between them is left out with them.
  kSeparateRuns,
};

// One execution of a loop by a warp: the start of each pass, and the end of the last one.
struct LoopRun {
  std::vector<std::uint32_t> passes;
  std::uint32_t end = 0;
};

class Shortening {
 public:
  Shortening(const read::Kernel& kernel, const std::vector<TraceStep>& steps, double share, Way way)
      : kernel_(kernel), steps_(steps), share_(share), way_(way) {}

  std::vector<Section> run() {
    visit(0, static_cast<std::uint32_t>(steps_.size()), read::kNoIndex, 1);
    return std::move(sections_);
  }

 private:
  std::uint32_t block_at(std::uint32_t step) const {
    return kernel_.block_of[steps_[step].instruction];
  }
  // The outermost loop below `outer` that the step is in.
  std::uint32_t loop_below(std::uint32_t step, std::uint32_t outer) const {
    std::uint32_t found = read::kNoIndex;
    for (std::uint32_t l = kernel_.blocks[block_at(step)].loop; l != read::kNoIndex && l != outer;
         l = kernel_.loops[l].parent) {
      found = l;
    }
    return found;
  }
  bool inside(std::uint32_t step, std::uint32_t loop) const {
    for (std::uint32_t l = kernel_.blocks[block_at(step)].loop; l != read::kNoIndex;
         l = kernel_.loops[l].parent)
      if (l == loop) return true;
    return false;
  }

  // The instructions that begin another execution of the loop's surroundings: the next pass of an
  // outer loop, the next call of its function.
  std::vector<std::uint32_t> surroundings(std::uint32_t loop) const {
    std::vector<std::uint32_t> firsts;
    for (std::uint32_t l = kernel_.loops[loop].parent; l != read::kNoIndex;
         l = kernel_.loops[l].parent) {
      firsts.push_back(kernel_.blocks[kernel_.loops[l].header].first);
    }
    std::uint32_t entry = kernel_.loops[loop].header;
    while (kernel_.blocks[entry].immediate_dominator != read::kNoIndex) {
      entry = kernel_.blocks[entry].immediate_dominator;
    }
    if (entry != kernel_.loops[loop].header) firsts.push_back(kernel_.blocks[entry].first);
    return firsts;
  }

  // The steps from `begin` on that stay in the loop, including functions that it calls.
  LoopRun follow(std::uint32_t begin, std::uint32_t end, std::uint32_t loop) const {
    LoopRun run;
    const std::uint32_t header = kernel_.blocks[kernel_.loops[loop].header].first;
    std::vector<std::uint32_t> again;
    if (way_ == Way::kSeparateRuns) again = surroundings(loop);
    run.end = begin;
    for (std::uint32_t k = begin; k < end; ++k) {
      if (steps_[k].instruction == header) run.passes.push_back(k);
      if (inside(k, loop)) {
        run.end = k + 1;
      } else if (std::ranges::find(again, steps_[k].instruction) != again.end()) {
        break;
      } else if (k - run.end > 4096) {
        break;  // a call would have returned by now
      }
    }
    return run;
  }

  void keep(std::uint32_t begin, std::uint32_t end, double weight) {
    if (begin >= end) return;
    if (!sections_.empty() && sections_.back().end == begin && sections_.back().weight == weight) {
      sections_.back().end = end;
    } else {
      sections_.push_back({.begin = begin, .end = end, .weight = weight});
    }
  }

  void visit(std::uint32_t begin, std::uint32_t end, std::uint32_t outer, double weight) {
    std::uint32_t plain = begin;
    for (std::uint32_t k = begin; k < end;) {
      const std::uint32_t loop = loop_below(k, outer);
      if (loop == read::kNoIndex) {
        ++k;
        continue;
      }
      const LoopRun run = follow(k, end, loop);
      keep(plain, k, weight);
      visit_loop(k, run, loop, weight);
      k = std::max(run.end, k + 1);
      plain = k;
    }
    keep(plain, end, weight);
  }

  void visit_loop(std::uint32_t begin, const LoopRun& run, std::uint32_t loop, double weight) {
    const auto passes = static_cast<std::uint32_t>(run.passes.size());
    if (passes < kMinPasses) return visit(begin, run.end, loop, weight);
    auto kept = static_cast<std::uint32_t>(std::ceil(share_ * passes));
    const std::uint32_t pass = std::max(1u, (run.end - begin) / passes);
    kept = std::max({kept, kMinKept, kMinSteps / pass});
    if (kept + kLastKept + 2 >= passes) return visit(begin, run.end, loop, weight);
    // The first quarter warms up the caches. The passes before the gap represent half of the
    // omitted passes, those after it the other half, with the cache contents of that time.
    const std::uint32_t warm = kept / 4;
    if (way_ == Way::kStretches) return visit_stretches(begin, run, loop, weight, kept);
    const std::uint32_t before = (kept + warm) / 2;
    const std::uint32_t behind = kept - before;
    const std::uint32_t left_out = passes - kept - kLastKept;
    const auto weight_of = [&](std::uint32_t steady) { return 1 + 0.5 * left_out / steady; };
    const std::uint32_t resume = passes - kLastKept - behind;
    visit(begin, run.passes[warm], loop, weight);
    visit(run.passes[warm], run.passes[before], loop, weight * weight_of(before - warm));
    visit(run.passes[resume], run.passes[passes - kLastKept], loop, weight * weight_of(behind));
    visit(run.passes[passes - kLastKept], run.end, loop, weight);
  }

  // If the work per pass varies over the loop, each part is represented by some of its passes.
  void visit_stretches(std::uint32_t begin, const LoopRun& run, std::uint32_t loop, double weight,
                       std::uint32_t kept) {
    const auto passes = static_cast<std::uint32_t>(run.passes.size());
    const std::uint32_t warm = kept / 4;
    const std::uint32_t rest = passes - kLastKept - warm;
    visit(begin, run.passes[warm], loop, weight);
    for (std::uint32_t k = 0; k < kParts; ++k) {
      const std::uint32_t from = warm + rest * k / kParts;
      const std::uint32_t to = warm + rest * (k + 1) / kParts;
      if (from == to) continue;
      const std::uint32_t each = std::clamp((kept - warm + kParts - 1) / kParts, 1u, to - from);
      const std::uint32_t first = from + (to - from - each) / 2;
      visit(run.passes[first], run.passes[first + each], loop,
            weight * static_cast<double>(to - from) / each);
    }
    visit(run.passes[passes - kLastKept], run.end, loop, weight);
  }

  const read::Kernel& kernel_;
  const std::vector<TraceStep>& steps_;
  double share_;
  Way way_;
  std::vector<Section> sections_;
};

void note_arrivals(const BlockTrace& trace, Sections& all) {
  for (std::size_t w = 0; w < all.size(); ++w) {
    std::uint32_t end = 0;
    for (Section& section : all[w]) {
      for (std::uint32_t k = end; k < section.begin; ++k) {
        const std::uint32_t request = trace.warps[w][k].request;
        if (request == kNoRequest) continue;
        const auto phases = trace.phases_of(trace.requests[request]);
        if (std::ranges::any_of(phases, &PhaseUse::arrives)) section.arrivals.push_back(k);
      }
      end = section.end;
    }
  }
}

double stood_for(const Sections& all) {
  double steps = 0;
  for (const auto& warp : all) {
    for (const Section& s : warp) steps += s.weight * (s.end - s.begin);
  }
  return steps;
}

}  // namespace

Sections choose_sections(const read::Kernel& kernel, const BlockTrace& trace,
                         std::uint64_t target) {
  const auto steps = static_cast<double>(trace.steps);
  const double share = trace.steps == 0 ? 1 : static_cast<double>(target) / steps;
  const auto choose = [&](Way way) {
    Sections all;
    for (const auto& warp : trace.warps) {
      if (share >= 1 || kernel.loops.empty()) {
        all.push_back({{.end = static_cast<std::uint32_t>(warp.size())}});
        if (warp.empty()) all.back().clear();
      } else {
        all.push_back(Shortening(kernel, warp, share, way).run());
      }
    }
    return all;
  };
  const auto imbalance = [&](const Sections& of) { return std::abs(stood_for(of) - steps); };
  // All warps are shortened in the same way, since they synchronise at barriers.
  Sections all = choose(Way::kEqualPasses);
  for (const Way way : {Way::kStretches, Way::kSeparateRuns}) {
    if (imbalance(all) <= kMaxImbalance * steps) break;
    Sections other = choose(way);
    if (imbalance(other) < imbalance(all)) all = std::move(other);
  }
  note_arrivals(trace, all);
  return all;
}

}  // namespace burin::timing
