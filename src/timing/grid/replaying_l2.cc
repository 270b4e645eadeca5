// Replay: what is in the L2 cache.
#include <algorithm>
#include <cmath>
#include <utility>

#include "timing/grid/replaying.h"
#include "timing/memory/cache.h"
#include "timing/result/hit_rates.h"

namespace burin::timing {

namespace {

constexpr double kMaxLookups = 4e5;  // line lookups in the L2 cache per window
// Share of the L2 cache that retains data from launch to launch. Tensor operations that traverse
// 50 MB repeatedly miss on an H200, as with a cache of 48 MB rather than 60 MB (PyTorch, x + y).
constexpr double kRetainedShare = 0.8;
// Maximum number of trace steps applied to the L2 cache between two windows. There may be billions
// from small blocks that hardly change its contents.
constexpr double kMaxPassedSteps = 5e6;

// A part of a range of bytes. If the range cannot be divided evenly, the first parts have one more
// byte.
struct Part {
  std::uint64_t from, size;
};
Part part_of(std::uint64_t bytes, std::uint64_t part, std::uint64_t parts) {
  return {bytes / parts * part + std::min(part, bytes % parts),
          bytes / parts + (part < bytes % parts ? 1 : 0)};
}

}  // namespace

// Leaves the launch's buffers in the L2 cache, as far as they fit. An earlier kernel is assumed to
// have traversed all of them in parallel, so their ends were used last. In a stream, that kernel
// also wrote other buffers, one third of the total.
void Replay::fill_l2() {
  constexpr std::uint64_t kParts = 256;
  constexpr std::uint64_t kWritten = 3;                         // one byte in three is written
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // address, bytes
  const std::vector<launch::Argument>& arguments = traced_.launch->arguments;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const launch::Buffer* buffer = arguments[k].buffer();
    if (buffer != nullptr) ranges.emplace_back(traced_.buffers[k], buffer->size);
  }
  for (const launch::PlacedBuffer& placed : traced_.launch->memory) {
    ranges.emplace_back(placed.address, placed.buffer.size);
  }
  std::uint64_t dirtied = 0;
  for (std::uint64_t part = 0; part < kParts; ++part) {
    for (const auto& [address, bytes] : ranges) {
      const auto [from, size] = part_of(bytes, part, kParts);
      if (size != 0) memory_.fill_l2(address + from, size);
      if (options_.in_stream) memory_.dirty_l2(dirtied, size / kWritten);
      dirtied += size / kWritten;
    }
  }
}

// Passes the data of earlier launches through the L2 cache, the ranges of one launch in parallel. A
// capture does not record what they wrote; half of the data counts as written, as for a copy or an
// in-place update. Data that was read is in both partitions.
void Replay::fill_recent() {
  constexpr std::uint64_t kParts = 96;
  constexpr std::uint64_t kWritten = 2;  // one part in two is written
  const std::vector<launch::RecentUse>& recent = options_.recent;
  for (std::size_t first = 0; first < recent.size();) {
    std::size_t end = first;
    while (end < recent.size() && recent[end].launch == recent[first].launch) ++end;
    for (std::uint64_t part = 0; part < kParts; ++part) {
      for (std::size_t k = first; k < end; ++k) {
        const auto [from, size] = part_of(recent[k].bytes, part, kParts);
        const bool written = (part + k) % kWritten == 0;
        if (size != 0) memory_.pass_l2(recent[k].address + from, size, written);
      }
    }
    first = end;
  }
  const std::uint64_t unknown_bytes = unknown_lines() * kLineBytes;
  const bool fits = static_cast<double>(unknown_bytes) < machine_.l2.size / 2;
  const auto is_unknown = [](const LineUse& use) { return use.line() >= kUnknownLines; };
  if (options_.warm && fits && std::ranges::any_of(traced_.reference.lines, is_unknown)) {
    memory_.pass_l2(kUnknownLines * kLineBytes, unknown_bytes, false);
  }
}

// Unknown addresses lie in one of the launch's buffers; the largest one is assumed.
std::uint64_t Replay::unknown_lines() const {
  constexpr std::uint64_t kMaxLines = std::uint64_t{1} << 24;
  std::uint64_t largest = 0;
  for (const launch::Argument& argument : traced_.launch->arguments) {
    if (argument.buffer() != nullptr) largest = std::max(largest, argument.buffer()->size);
  }
  for (const launch::PlacedBuffer& placed : traced_.launch->memory) {
    largest = std::max(largest, placed.buffer.size);
  }
  return largest == 0 ? kMaxLines : std::clamp<std::uint64_t>(largest / kLineBytes, 1, kMaxLines);
}

MemoryOptions Replay::memory_options(const ReplayChange& change) const {
  const TracedWindow& window = traced_.windows[0];
  double lines = 0;
  for (const BlockJob& j : window.jobs) lines += static_cast<double>(j.trace->lines.size());
  double lookups = lines * static_cast<double>(share_.sms);
  if (window.count < share_.count) lookups += kL2Turnovers * machine_.l2.size / kLineBytes;
  unsigned sample = 1;
  while (lookups / sample > kMaxLookups && sample < 64) sample *= 2;
  MemoryOptions options{
      .shared_bytes = machine_.l1.size - static_cast<double>(traced_.occupancy.l1),
      .unknown_lines = unknown_lines(),
      .l2 = {.sample = sample,
             .kept = options_.recent.empty() ? 1 : kRetainedShare,
             .l2_hit = options_.l2_hit.value_or(-1),
             .l2_hit_of = {},
             .known = found_ != nullptr}};
  if (options_.line_l2_hit.empty() && change.edits == nullptr) return options;
  for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
    const bool hit = change.edits != nullptr && (*change.edits)[i].l2_hit;
    options.l2.l2_hit_of.push_back(
        hit ? 1 : static_cast<float>(given_l2_hit(kernel_, i, options_).value_or(-1)));
  }
  return options;
}

// The number of blocks that determine the L2 contents, limited by the time to process them. Each
// block has `steps` steps and brings `bytes` of new data into the cache.
std::uint64_t Replay::blocks_filling_l2(double bytes, double steps) const {
  const double blocks = std::min(std::ceil(kL2Turnovers * machine_.l2.size / std::max(1.0, bytes)),
                                 kMaxPassedSteps / std::max(1.0, steps));
  return static_cast<std::uint64_t>(blocks);
}

// Applies the requests of the blocks from `first` up to `until` to the L2 contents.
void Replay::pass_over(const TracedWindow& window, std::uint64_t first, std::uint64_t until) {
  if (found_ != nullptr) return;
  for (std::uint64_t i = first; i < until; ++i) {
    const BlockJob j = traced_.job(window, i);
    for (const auto& steps : j.trace->warps) {
      const Requester requester{.others = j.others, .others_id = j.others_id, .own = j.own};
      for (const TraceStep& step : steps) {
        if (step.request == kNoRequest) continue;
        const Request& r = j.trace->requests[step.request];
        if (code_[step.instruction].share <= 0) continue;
        if (r.kind != Request::Kind::kLocal) {
          memory_.skip({step.instruction, *j.trace, r, requester});
        }
      }
    }
  }
  memory_.take_traffic();  // already counted by the windows that represent these blocks
}

// The runs of a window are far apart. Each starts with the L2 contents left by the blocks directly
// before it, for example a neighbouring plane of a grid.
Replay::BeforeBlock Replay::pass_before_runs(const TracedWindow& window, double bytes) {
  if (found_ != nullptr || window.stretch <= window.run) return {};
  const std::uint64_t runs = (window.count + window.run - 1) / window.run;
  double steps = 0;  // mean over jobs: the reference may be a block that ends early
  for (const BlockJob& job : window.jobs) steps += static_cast<double>(job.trace->steps);
  steps /= static_cast<double>(window.count);
  const std::uint64_t most = std::min(window.stretch, blocks_filling_l2(bytes, steps) / runs);
  return [this, &window, most](std::size_t job) {
    if (job % window.run != 0) return;
    const std::uint64_t at = window.number(job);
    memory_.skip_earlier([&] { pass_over(window, at - std::min(at, most), at); });
  };
}

}  // namespace burin::timing
