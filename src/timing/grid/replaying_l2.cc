// Replay: what is in the L2 cache.
#include <algorithm>
#include <cmath>
#include <utility>

#include "timing/grid/replaying.h"
#include "timing/memory/cache.h"
#include "timing/result/hit_rates.h"

namespace burin::timing {

namespace {

constexpr double kLooks = 4e5;  // lines looked up in the L2 cache for one window
// Share of the L2 cache that keeps data from launch to launch. Tensor operations that go through
// 50 MB again and again miss on an H200, as with a cache of 48 MB and not of 60 (PyTorch, x + y).
constexpr double kKeptInStream = 0.8;
// Trace steps that pass over the L2 cache between two windows: of small blocks that hardly add to
// it there may be billions.
constexpr double kMaxPassedSteps = 5e6;

// A part of a range of bytes: those with a smaller number have a byte more where they cannot all
// have the same.
struct Part {
  std::uint64_t from, size;
};
Part part_of(std::uint64_t bytes, std::uint64_t part, std::uint64_t parts) {
  return {bytes / parts * part + std::min(part, bytes % parts),
          bytes / parts + (part < bytes % parts ? 1 : 0)};
}

}  // namespace

// Leaves the launch's buffers in the L2 cache, as far as they fit. An earlier kernel has gone
// through all of them at the same time: what it used last is their ends. In a stream it has written
// others besides, a third of it all.
void Replay::fill_l2() {
  constexpr std::uint64_t kParts = 256;
  constexpr std::uint64_t kWritten = 3;                         // one byte in so many
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // address, bytes
  const std::vector<launch::Argument>& arguments = traced_.launch->arguments;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const launch::Buffer* buffer = arguments[k].buffer();
    if (buffer != nullptr) ranges.emplace_back(traced_.buffers[k], buffer->size);
  }
  for (const launch::PlacedBuffer& placed : traced_.launch->memory) {
    ranges.emplace_back(placed.address, placed.buffer.size);
  }
  std::uint64_t soiled = 0;
  for (std::uint64_t part = 0; part < kParts; ++part) {
    for (const auto& [address, bytes] : ranges) {
      const auto [from, size] = part_of(bytes, part, kParts);
      if (size != 0) memory_.fill_l2(address + from, size);
      if (options_.in_stream) memory_.soil_l2(soiled, size / kWritten);
      soiled += size / kWritten;
    }
  }
}

// Lets what earlier launches used pass through the L2 cache, the ranges of one launch side by side.
// A capture does not say what they wrote; half of it counts as written, as of a copy or an update
// in place. What was read has been read by SMs of both partitions.
void Replay::fill_recent() {
  constexpr std::uint64_t kParts = 96;
  constexpr std::uint64_t kWritten = 2;  // one part in so many
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

// Unknown addresses lie in one of the launch's buffers; in the largest, for want of a better guess.
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
  double looks = lines * static_cast<double>(share_.sms);
  if (window.count < share_.count) looks += kEnough * machine_.l2.size / kLineBytes;
  unsigned sample = 1;
  while (looks / sample > kLooks && sample < 64) sample *= 2;
  MemoryOptions options{
      .shared_bytes = machine_.l1.size - static_cast<double>(traced_.occupancy.l1),
      .unknown_lines = unknown_lines(),
      .l2 = {.sample = sample,
             .kept = options_.recent.empty() ? 1 : kKeptInStream,
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

// How many blocks decide what is in the L2 cache, as far as there is time for them. Each has so
// many steps, and `bytes` are new to the cache with it.
std::uint64_t Replay::blocks_that_matter(double bytes, double steps) const {
  const double blocks = std::min(std::ceil(kEnough * machine_.l2.size / std::max(1.0, bytes)),
                                 kMaxPassedSteps / std::max(1.0, steps));
  return static_cast<std::uint64_t>(blocks);
}

// Leaves in the L2 cache what the blocks from `first` up to `until` leave there.
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
  memory_.take_traffic();  // of blocks that the windows stand for
}

// The runs of a window lie far apart: each begins with what the blocks just before it leave in the
// L2 cache, a neighbouring plane of a grid for example.
Replay::BeforeBlock Replay::pass_before_runs(const TracedWindow& window, double bytes) {
  if (found_ != nullptr || window.stretch <= window.run) return {};
  const std::uint64_t runs = (window.count + window.run - 1) / window.run;
  double steps = 0;  // the reference may be a block that ends early
  for (const BlockJob& job : window.jobs) steps += static_cast<double>(job.trace->steps);
  steps /= static_cast<double>(window.count);
  const std::uint64_t most = std::min(window.stretch, blocks_that_matter(bytes, steps) / runs);
  return [this, &window, most](std::size_t job) {
    if (job % window.run != 0) return;
    const std::uint64_t at = window.number(job);
    memory_.skip_earlier([&] { pass_over(window, at - std::min(at, most), at); });
  };
}

}  // namespace burin::timing
