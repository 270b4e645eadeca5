#include "analyze/study/edited_trace.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "analyze/code/regions.h"
#include "analyze/study/private_atomics.h"
#include "analyze/study/spread_work.h"
#include "emulate/traffic.h"
#include "read/program/instruction_set.h"
#include "read/program/launch_size.h"
#include "timing/grid/grid_time.h"
#include "timing/trace/sections.h"

namespace burin::analyze {

namespace {

constexpr unsigned kSectorsOfLine = timing::kLineBytes / emulate::kSectorBytes;

std::uint32_t divide_up(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

std::uint32_t bytes_of(const timing::Request& request) {
  return std::uint32_t{request.lanes} * request.bytes;
}

void remove_conflicts(timing::Request& request) {
  const std::uint32_t passes = std::max(1u, divide_up(bytes_of(request), timing::kLineBytes));
  request.wavefronts =
      static_cast<std::uint8_t>(std::min<std::uint32_t>(request.wavefronts, passes));
}

std::uint32_t sectors_of(const timing::BlockTrace& trace, const timing::Request& request) {
  std::uint32_t sectors = 0;
  for (const timing::LineUse& line : trace.lines_of(request)) {
    sectors += static_cast<std::uint32_t>(std::popcount(line.sectors()));
  }
  return sectors;
}

// The lanes of a warp that reads a column each touch another line, and touch the same lines again
// for the next columns. If they read rows instead, each request would read other, adjacent sectors
// of those lines. The offset of the first lane in its line selects them.
void gather_sectors(timing::BlockTrace& trace, timing::Request& request) {
  const std::uint32_t sectors = std::max(1u, divide_up(bytes_of(request), emulate::kSectorBytes));
  if (sectors >= sectors_of(trace, request)) return;
  const auto place =
      static_cast<std::uint32_t>(request.first_address % timing::kLineBytes / request.bytes);
  const auto first = static_cast<std::uint32_t>(trace.lines.size());
  const std::uint32_t before = request.lines * kSectorsOfLine;
  for (std::uint32_t k = 0; k < sectors; ++k) {
    const std::uint32_t at = (place * sectors + k) % before;
    const timing::LineUse from = trace.lines[request.first_line + at / kSectorsOfLine];
    const unsigned bit = 1u << at % kSectorsOfLine;
    if (trace.lines.size() > first && trace.lines.back().line() == from.line()) {
      trace.lines.back().packed |= bit;
    } else {
      trace.lines.emplace_back(from.line() * timing::kLineBytes, bit);
    }
  }
  request.first_line = first;
  request.lines = static_cast<std::uint32_t>(trace.lines.size()) - first;
  request.partial = request.store && bytes_of(request) < sectors * emulate::kSectorBytes;
  remove_conflicts(request);
}

bool is_global(const timing::Request& request) {
  return (request.kind == timing::Request::Kind::kGlobal ||
          request.kind == timing::Request::Kind::kCopy) &&
         request.lines > 0 && request.bytes > 0;
}

void edit(timing::BlockTrace& trace, timing::Request& request, const RequestEdit& how) {
  const bool shared = request.kind == timing::Request::Kind::kShared ||
                      request.kind == timing::Request::Kind::kCopy;
  if (how.no_conflicts && shared && request.bytes > 0) remove_conflicts(request);
  if (how.padded && request.kind == timing::Request::Kind::kShared) {
    request.wavefronts = std::min(request.wavefronts, request.padded_wavefronts);
  }
  if (how.ideal_sectors && is_global(request)) gather_sectors(trace, request);
  if (how.staged && request.kind == timing::Request::Kind::kGlobal && request.load &&
      !request.atomic) {
    request.kind = timing::Request::Kind::kShared;
    request.lines = 0;
  }
}

void edit_all(timing::BlockTrace& trace, const std::vector<RequestEdit>& edits) {
  PrivateAtomics atomics(trace);
  for (const auto& steps : trace.warps) {
    for (const timing::TraceStep& step : steps) {
      if (step.request == timing::kNoRequest || !edits[step.instruction].any()) continue;
      const RequestEdit& how = edits[step.instruction];
      timing::Request& request = trace.requests[step.request];
      edit(trace, request, how);
      if (how.combined) atomics.combine(request);
      if (how.final_additions) atomics.make_private(request, *how.final_additions);
    }
  }
}

// Replays as many steps of the trace as before.
timing::Sections chosen_again(const read::Kernel& kernel, const timing::BlockTrace& trace,
                              const timing::Sections& before) {
  std::uint64_t steps = 0;
  for (const auto& warp : before) {
    for (const timing::Section& section : warp) steps += section.end - section.begin;
  }
  return timing::choose_sections(kernel, trace, std::max<std::uint64_t>(1, steps));
}

Spread spread_of(const read::Kernel& kernel, read::InstructionSet set) {
  // Code that reads the block size was compiled for blocks of any size.
  return {.set = std::move(set),
          .kinds = copy_kinds(kernel),
          .unrolled = !read::reads_block_size(kernel)};
}

// Steps of blocks, and the imbalance of their warps: the longest over the mean, minus 1.
class Unevenness {
 public:
  void add(const timing::BlockTrace& trace) {
    const timing::BlockWork work = timing::work_of(trace);
    steps_ += work.steps;
    longest_ += work.longest * static_cast<double>(work.warps.size());
  }
  double steps() const { return steps_; }
  double of_warps() const { return steps_ > 0 ? longest_ / steps_ - 1 : 0; }

 private:
  double steps_ = 0;
  double longest_ = 0;
};

void spread_all(timing::TracedLaunch& traced, const Spread& how) {
  Unevenness before;
  Unevenness after;
  const auto spread = [&](timing::BlockTrace& trace) {
    before.add(trace);
    spread_work(trace, how);
    after.add(trace);
  };
  spread(traced.reference);
  for (timing::TracedWindow& window : traced.windows) {
    std::ranges::for_each(window.traces, spread);
    for (std::size_t k = 0; k < window.sections.size(); ++k) {
      const timing::BlockTrace& trace = window.traces.empty() ? traced.reference : window.traces[k];
      window.sections[k] = chosen_again(*traced.kernel, trace, window.sections[k]);
    }
  }
  if (!traced.longest.warps.empty()) {
    spread(traced.longest);
    traced.longest_sections = chosen_again(*traced.kernel, traced.longest, traced.longest_sections);
  }
  if (before.steps() > 0 && before.of_warps() > 0) {
    traced.works.even_out(after.steps() / before.steps(), after.of_warps() / before.of_warps());
  }
}

}  // namespace

std::unique_ptr<timing::TracedLaunch> edited_trace(const timing::TracedLaunch& traced,
                                                   const std::vector<RequestEdit>& edits) {
  auto other = std::make_unique<timing::TracedLaunch>(traced);
  edit_all(other->reference, edits);
  edit_all(other->last, edits);
  for (timing::TracedWindow& window : other->windows) {
    for (timing::BlockTrace& trace : window.traces) edit_all(trace, edits);
  }
  if (std::ranges::any_of(edits, &RequestEdit::spread)) {
    read::InstructionSet set;
    for (const RequestEdit& edit : edits) set.push_back(edit.spread ? 1 : 0);
    spread_all(*other, spread_of(*traced.kernel, std::move(set)));
  }
  return other;
}

}  // namespace burin::analyze
