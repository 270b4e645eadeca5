#include "timing/trace/idle_search.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/hash.h"

namespace burin::timing {

namespace {

constexpr std::uint64_t kMaxProbed = 262'144;       // blocks
constexpr std::uint64_t kMaxIdleSteps = 4'000'000;  // steps spent on idle warps
constexpr std::uint64_t kInitialProbes = 16'384;
constexpr std::size_t kTargetActive = 400;  // gives the number of active blocks within 5 %
// A warp is active if it has more than kActiveFactor times the steps of an idle warp, and more than
// kMinActiveSteps.
constexpr std::uint64_t kActiveFactor = 4;
constexpr std::uint64_t kMinActiveSteps = 64;

std::uint64_t longest_warp(const BlockTrace& trace) {
  std::size_t steps = 0;
  for (const auto& warp : trace.warps) steps = std::max(steps, warp.size());
  return steps;
}

// The block probed in a part of the grid. It is also the probe of one of the part's halves.
std::uint64_t probed_in(std::uint64_t first, std::uint64_t size) {
  while (size > 1) {
    size /= 2;
    if ((splitmix64(first + size) & 1) != 0) first += size;
  }
  return first;
}

// The number of instructions whose addresses the block numbers do not explain.
double unexplained(const StrideTable& table) {
  return static_cast<double>(table.irregular()) + table.exceptions;
}

}  // namespace

bool is_idle(const BlockTrace& trace) {
  return std::ranges::none_of(trace.requests, [](const Request& r) {
    switch (r.kind) {
      case Request::Kind::kGlobal:
      case Request::Kind::kCopy:
        return r.store || r.atomic;
      case Request::Kind::kBulk:
      case Request::Kind::kBarrier:
        return true;
      default:
        return false;
    }
  });
}

// Probes half of the grid's parts, then the other half, then halves the parts and repeats, until
// enough active blocks are found or the limit of probes is reached.
ActiveBlocks find_active_blocks(TraceSource& source, std::uint64_t blocks, const BlockTrace& idle) {
  const std::uint64_t steps = std::max<std::uint64_t>(1, longest_warp(idle));
  const std::uint64_t most = std::clamp<std::uint64_t>(kMaxIdleSteps / steps, 1, kMaxProbed);
  std::uint64_t one_in = std::bit_ceil((blocks + kInitialProbes - 1) / kInitialProbes);
  std::vector<std::uint64_t> found;
  std::uint64_t probed = 0;
  for (bool again = false;; again = true, one_in /= 2) {
    // A pseudo-random block of each part, so that no pattern of the grid recurs; later one of the
    // half that was not probed.
    std::vector<std::uint64_t> wanted;
    for (std::uint64_t first = 0; first < blocks; first += one_in) {
      const std::uint64_t block = probed_in(first, one_in);
      const bool known = again && probed_in(first - first % (2 * one_in), 2 * one_in) == block;
      if (!known && block < blocks) wanted.push_back(block);
    }
    probed += wanted.size();
    const std::vector<std::uint64_t> more =
        source.find_active(wanted, kActiveFactor * steps + kMinActiveSteps);
    found.insert(found.end(), more.begin(), more.end());
    if (one_in == 1 || found.size() >= kTargetActive || probed * 2 > most) break;
  }
  std::ranges::sort(found);
  return {std::move(found), one_in, blocks};
}

std::vector<std::uint64_t> reference_positions(const ActiveBlocks& active, launch::Dims grid) {
  const std::uint64_t n = active.size();
  const std::uint64_t middle = active.known(active.nearest(active.block(n / 2)));
  const std::uint64_t block = active.block(middle);
  std::vector<std::uint64_t> positions{middle};
  const auto want = [&](std::uint64_t position) {
    position = active.known(position);
    if (std::ranges::find(positions, position) == positions.end()) positions.push_back(position);
  };
  const std::uint64_t step =
      active.known(std::min(middle + 1, n - 1)) == middle ? active.one_in() : 1;
  want(std::min(middle + step, n - 1));
  want(middle < step ? 0 : middle - step);
  for (const std::uint64_t row : {std::uint64_t{grid.x}, std::uint64_t{grid.x} * grid.y}) {
    if (row < grid.total()) want(active.nearest((block + row) % grid.total()));
  }
  want(n / 3);
  want(n / 5);
  return positions;
}

ActiveStrides find_active_strides(std::size_t instructions, launch::Dims grid,
                                  const ActiveBlocks& active, std::vector<BlockTrace>& traces) {
  std::vector<const BlockTrace*> others;
  for (std::size_t k = 1; k < traces.size(); ++k) others.push_back(&traces[k]);
  StrideTable by_number = find_strides(instructions, grid, traces[0], others);
  if (unexplained(by_number) == 0) return {std::move(by_number), false};
  std::vector<std::uint64_t> numbers;
  for (BlockTrace& trace : traces) {
    numbers.push_back(trace.linear);
    trace.linear = active.nearest(trace.linear);
  }
  const launch::Dims row{static_cast<std::uint32_t>(active.size()), 1, 1};
  StrideTable by_position = find_strides(instructions, row, traces[0], others);
  if (unexplained(by_position) < unexplained(by_number)) return {std::move(by_position), true};
  for (std::size_t k = 0; k < traces.size(); ++k) traces[k].linear = numbers[k];
  return {std::move(by_number), false};
}

}  // namespace burin::timing
