#include "timing/trace/irregular.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace burin::timing {

namespace {

// The lines that one block accessed at one instruction.
struct Used {
  std::uint64_t block = 0;           // block number in the grid
  std::vector<std::uint64_t> lines;  // sorted, without duplicates
  double middle = 0;                 // mean of the lines, weighted by use

  std::uint64_t low() const { return lines.front(); }
  std::uint64_t high() const { return lines.back(); }
  bool has(double line) const {
    return line >= static_cast<double>(low()) && line <= static_cast<double>(high());
  }
};

using UsedBy = std::map<std::uint32_t, std::vector<Used>>;  // by instruction

void add_block(const BlockTrace& trace, const std::vector<Strides>& of, UsedBy& to) {
  std::map<std::uint32_t, std::vector<std::uint64_t>> lines;
  for (const auto& warp : trace.warps) {
    for (const TraceStep& step : warp) {
      if (step.request == kNoRequest || of[step.instruction].kind != Strides::Kind::kIrregular) {
        continue;
      }
      const Request& r = trace.requests[step.request];
      if (r.kind == Request::Kind::kLocal) continue;
      std::vector<std::uint64_t>& used = lines[step.instruction];
      for (const LineUse& use : trace.lines_of(r)) used.push_back(use.line());
    }
  }
  for (auto& [instruction, used] : lines) {
    if (used.empty()) continue;  // a copy whose box lies outside its tensor
    Used one{.block = trace.linear, .lines = std::move(used)};
    for (const std::uint64_t line : one.lines) one.middle += static_cast<double>(line);
    one.middle /= static_cast<double>(one.lines.size());
    std::sort(one.lines.begin(), one.lines.end());
    one.lines.erase(std::unique(one.lines.begin(), one.lines.end()), one.lines.end());
    to[instruction].push_back(std::move(one));
  }
}

// The distance between the ranges of consecutive blocks, in lines, if the ranges are in block order
// and roughly evenly spaced. A few blocks may satisfy this by chance, but not with adjacent ranges
// as well.
std::optional<double> drift(std::vector<Used>& blocks) {
  constexpr double kMaxDeviation = 0.25;
  if (blocks.size() < 2) return std::nullopt;
  std::sort(blocks.begin(), blocks.end(),
            [](const Used& a, const Used& b) { return a.block < b.block; });
  const Used& first = blocks.front();
  const Used& last = blocks.back();
  const double each = (last.middle - first.middle) / static_cast<double>(last.block - first.block);
  for (std::size_t k = 1; k < blocks.size(); ++k) {
    const Used& a = blocks[k - 1];
    const Used& b = blocks[k];
    const double distance = b.middle - a.middle;
    const double expected = each * static_cast<double>(b.block - a.block);
    const double range = static_cast<double>(std::max(a.high() - a.low(), b.high() - b.low()) + 1);
    const bool near = std::abs(distance - expected) <= kMaxDeviation * std::abs(expected) + range;
    const bool beside = blocks.size() > 2 || std::abs(distance) <= 2 * range;
    const bool onwards = distance * each > 0;
    if (!onwards || !near || !beside || a.has(b.middle) || b.has(a.middle)) return std::nullopt;
  }
  return each;
}

// The same for a grid of rows with overlapping ranges: the distance in bytes between blocks of a
// row, and between rows.
struct PlaneDrift {
  double x = 0;
  double y = 0;
};
std::optional<PlaneDrift> drift_in_plane(const std::vector<Used>& blocks, launch::Dims grid) {
  constexpr double kMaxDeviation = 0.25;
  constexpr double kMaxRange = 0.5;  // range of a block over the range of all blocks
  const auto step = [&](const Used& to) {
    return step_between(blocks.front().block, to.block, {.grid = grid});
  };
  // The next block in the row determines x, then the block in the most distant row y.
  const Used* beside = nullptr;
  const Used* away = nullptr;
  double low = static_cast<double>(blocks.front().low());
  double high = static_cast<double>(blocks.front().high());
  double range = high - low;
  for (const Used& to : blocks) {
    const BlockStep s = step(to);
    if (s.z != 0) continue;
    if (s.y == 0 && s.x != 0 && beside == nullptr) beside = &to;
    if (s.y != 0 && (away == nullptr || std::abs(s.y) > std::abs(step(*away).y))) away = &to;
    low = std::min(low, static_cast<double>(to.low()));
    high = std::max(high, static_cast<double>(to.high()));
    range = std::max(range, static_cast<double>(to.high() - to.low()));
  }
  if (beside == nullptr || away == nullptr || range > kMaxRange * (high - low)) {
    return std::nullopt;
  }
  const double from = blocks.front().middle;
  PlaneDrift each;
  each.x = (beside->middle - from) / step(*beside).x;
  each.y = (away->middle - from - each.x * step(*away).x) / step(*away).y;
  for (const Used& to : blocks) {
    const BlockStep s = step(to);
    if (s.z != 0) continue;
    const double expected = each.x * s.x + each.y * s.y;
    if (std::abs(to.middle - from - expected) > kMaxDeviation * std::abs(expected) + range) {
      return std::nullopt;
    }
  }
  return each;
}

// The distance between ranges, in lines, if each block traverses its own range but the ranges are
// in no order: chunks of many tensors, whose addresses come from a table. The ranges of other
// blocks are unknown, but for the caches it matters only that they do not overlap.
std::optional<double> separate_ranges(const std::vector<Used>& blocks) {
  constexpr std::size_t kMinBlocks = 3;
  constexpr double kMinUsed = 0.125;  // of a range's lines, by one of its instructions
  // Of a range: shorter ones, such as a row of a table, may be used by many blocks.
  constexpr double kMinLines = 64;
  if (blocks.size() < kMinBlocks) return std::nullopt;
  std::vector<const Used*> by_address;
  double longest = 0;
  for (const Used& used : blocks) {
    const auto range = static_cast<double>(used.high() - used.low() + 1);
    if (static_cast<double>(used.lines.size()) < kMinUsed * range) return std::nullopt;
    longest = std::max(longest, range);
    by_address.push_back(&used);
  }
  std::ranges::sort(by_address, {}, [](const Used* used) { return used->low(); });
  for (std::size_t k = 1; k < by_address.size(); ++k) {
    if (by_address[k]->low() <= by_address[k - 1]->high()) return std::nullopt;
  }
  if (longest < kMinLines) return std::nullopt;
  return longest;
}

// Extends the memory range to blocks that were not traced, if all blocks start at the same address
// and later blocks reach further: all start at the root of a tree, but later blocks use later
// leaves.
void extend(const std::vector<Used>& blocks, double grid, Strides& s) {
  constexpr std::size_t kEnough = 4;  // blocks
  constexpr double kMaxStartDifference = 0.01;
  if (blocks.size() < kEnough) return;
  const Used& a = blocks.front();
  const Used& b = blocks.back();
  for (std::size_t k = 1; k < blocks.size(); ++k) {
    const std::uint64_t low =
        std::max(a.low(), blocks[k].low()) - std::min(a.low(), blocks[k].low());
    const bool same =
        static_cast<double>(low) < kMaxStartDifference * static_cast<double>(a.high() - a.low());
    if (!same || blocks[k].high() <= blocks[k - 1].high()) return;
  }
  const double each =
      static_cast<double>(b.high() - a.high()) / static_cast<double>(b.block - a.block);
  const double more = each * (grid - static_cast<double>(b.block));
  s.high = std::max(s.high, (b.high() + static_cast<std::uint64_t>(more)) * kLineBytes);
}

// Lines that more than half of the blocks use, and at least three blocks if there are that many:
// two neighbouring blocks also share the lines between them.
std::vector<std::uint64_t> common_lines(const std::vector<Used>& blocks) {
  const std::size_t least =
      std::max(blocks.size() / 2 + 1, std::min<std::size_t>(3, blocks.size()));
  if (blocks.size() < 2) return {};
  std::vector<std::uint64_t> all;
  for (const Used& used : blocks) all.insert(all.end(), used.lines.begin(), used.lines.end());
  std::sort(all.begin(), all.end());
  std::vector<std::uint64_t> out;
  for (std::size_t k = 0; k + least <= all.size(); ++k) {
    if (all[k] == all[k + least - 1] && (out.empty() || out.back() != all[k])) {
      out.push_back(all[k]);
    }
  }
  return out;
}

// Instructions without comparable executions in two blocks get the strides of others on the same
// memory.
void follow_others(std::vector<Strides>& of) {
  const auto seen = [](const Strides& s) { return s.high != 0; };
  for (Strides& s : of) {
    if (s.kind != Strides::Kind::kUnseen || !seen(s)) continue;
    const auto like = std::find_if(of.begin(), of.end(), [&](const Strides& o) {
      return o.kind != Strides::Kind::kUnseen && seen(o) && o.low < s.high && s.low < o.high;
    });
    if (like == of.end()) continue;
    const std::uint64_t low = std::min(s.low, like->low);
    const std::uint64_t high = std::max(s.high, like->high);
    s = *like;
    s.low = low;
    s.high = high;
  }
}

// Merges the extents of irregular instructions on the same memory, since each observed only a part.
void join_extents(std::vector<Strides>& of) {
  std::vector<Strides*> irregular;
  for (Strides& s : of)
    if (s.kind == Strides::Kind::kIrregular) irregular.push_back(&s);
  std::sort(irregular.begin(), irregular.end(),
            [](const Strides* a, const Strides* b) { return a->low < b->low; });
  for (std::size_t first = 0; first < irregular.size();) {
    std::uint64_t high = irregular[first]->high;
    std::size_t end = first + 1;
    while (end < irregular.size() && irregular[end]->low < high) {
      high = std::max(high, irregular[end++]->high);
    }
    const std::uint64_t low = irregular[first]->low;
    for (; first < end; ++first) {
      irregular[first]->low = low;
      irregular[first]->high = high;
    }
  }
}

}  // namespace

void settle_irregular(launch::Dims grid, std::span<const BlockTrace* const> traces,
                      std::vector<Strides>& of) {
  UsedBy used;
  for (const BlockTrace* trace : traces) add_block(*trace, of, used);
  for (auto& [instruction, blocks] : used) {
    Strides& s = of[instruction];
    const auto drifts = [&](double x, double y, double z) {
      s.kind = Strides::Kind::kDrifting;
      s.x = std::llround(x * kLineBytes);
      s.y = std::llround(y * kLineBytes);
      s.z = std::llround(z * kLineBytes);
    };
    const std::optional<PlaneDrift> plane =
        grid.y > 1 && grid.z == 1 ? drift_in_plane(blocks, grid) : std::nullopt;
    if (plane) {
      drifts(plane->x, plane->y, 0);
    } else if (const std::optional<double> each = drift(blocks)) {
      drifts(*each, *each * grid.x, *each * grid.x * grid.y);
    } else if (const std::optional<double> range = separate_ranges(blocks)) {
      drifts(*range, *range * grid.x, *range * grid.x * grid.y);
    } else {
      s.common = common_lines(blocks);
      extend(blocks, static_cast<double>(grid.total()), s);
    }
  }
  follow_others(of);
  join_extents(of);
}

}  // namespace burin::timing
