#include "timing/trace/strides.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "timing/trace/block_rows.h"
#include "timing/trace/irregular.h"
#include "timing/trace/lines.h"
#include "timing/trace/observed_shifts.h"

namespace burin::timing {

namespace {

// The requests of one warp, by instruction, in order.
using WarpRequests = std::map<std::uint32_t, std::vector<const Request*>>;

WarpRequests requests_of(const BlockTrace& trace, std::size_t warp) {
  WarpRequests out;
  for (const TraceStep& step : trace.warps[warp]) {
    if (step.request == kNoRequest) continue;
    const Request& r = trace.requests[step.request];
    if (r.lines == 0 || r.kind == Request::Kind::kLocal) continue;
    out[step.instruction].push_back(&r);
  }
  return out;
}

void observe(const WarpRequests& from, const WarpRequests& to, std::uint64_t block,
             const BlockStep& step, std::vector<Seen>& seen) {
  constexpr std::size_t kMaxCompared = 64;  // requests of one instruction in one warp
  for (const auto& [instruction, mine] : from) {
    const auto theirs = to.find(instruction);
    if (theirs == to.end()) continue;
    Seen& s = seen[instruction];
    const std::size_t count = std::min({mine.size(), theirs->second.size(), kMaxCompared});
    for (std::size_t k = 0; k < count; ++k) {
      const Request& a = *mine[k];
      const Request& b = *theirs->second[k];
      // At the edge of the data fewer lanes are active, so the request is not comparable.
      if (a.lanes != b.lanes) continue;
      if (a.shape != b.shape) {
        s.irregular = true;
        continue;
      }
      const auto shift = static_cast<std::int64_t>(b.first_address - a.first_address);
      const auto seen_before =
          std::find_if(s.moves.begin(), s.moves.end(),
                       [&](const Observation& m) { return m.shift == shift && m.step == step; });
      if (seen_before != s.moves.end()) {
        ++seen_before->count;
        continue;
      }
      s.moves.push_back({block, step, shift});
    }
  }
}

// A stride that leads far outside the observed memory is a coincidence of two addresses.
bool leads_out(const Strides& s, const BlockNumbers& numbers, double memory) {
  constexpr double kMaxExtension = 16;  // times the observed extent
  const auto reach_of = [](std::int64_t stride, std::uint32_t most) {
    return std::abs(static_cast<double>(stride)) * most;
  };
  const launch::Dims last{numbers.grid.x - 1, numbers.grid.y - 1, numbers.grid.z - 1};
  const double reach = reach_of(s.x, std::min(last.x, numbers.row_x)) +
                       reach_of(s.y, std::min(last.y, numbers.row_y)) + reach_of(s.z, last.z) +
                       reach_of(s.row_x, last.x / numbers.row_x) +
                       reach_of(s.row_y, last.y / numbers.row_y);
  return s.kind == Strides::Kind::kAffine && reach > kMaxExtension * memory;
}

void add_extent(const BlockTrace& trace, std::vector<Strides>& of) {
  for (const auto& warp : trace.warps) {
    for (const TraceStep& step : warp) {
      if (step.request == kNoRequest) continue;
      const Request& r = trace.requests[step.request];
      if (r.kind == Request::Kind::kLocal) continue;
      Strides& s = of[step.instruction];
      for (const LineUse& line : trace.lines_of(r)) {
        const std::uint64_t address = line.line() * kLineBytes;
        if (s.high == 0) s.low = address;
        s.low = std::min(s.low, address);
        s.high = std::max(s.high, address + kLineBytes);
      }
    }
  }
}

}  // namespace

launch::Dims block_index(std::uint64_t linear, launch::Dims grid) {
  return {static_cast<std::uint32_t>(linear % grid.x),
          static_cast<std::uint32_t>(linear / grid.x % grid.y),
          static_cast<std::uint32_t>(linear / grid.x / grid.y)};
}

BlockStep step_between(std::uint64_t from, std::uint64_t to, const BlockNumbers& numbers) {
  const launch::Dims a = block_index(from, numbers.grid);
  const launch::Dims b = block_index(to, numbers.grid);
  const auto step = [](std::uint32_t m, std::uint32_t n) {
    return static_cast<std::int32_t>(n - m);
  };
  const std::uint32_t x = numbers.row_x;
  const std::uint32_t y = numbers.row_y;
  return {.x = step(a.x % x, b.x % x),
          .y = step(a.y % y, b.y % y),
          .z = step(a.z, b.z),
          .row_x = step(a.x / x, b.x / x),
          .row_y = step(a.y / y, b.y / y)};
}

bool StrideTable::whole_lines() const {
  return std::ranges::all_of(of, [](const Strides& s) {
    return (s.x | s.y | s.z | s.row_x | s.row_y) % static_cast<std::int64_t>(kLineBytes) == 0;
  });
}

std::size_t StrideTable::irregular() const {
  return static_cast<std::size_t>(std::count_if(of.begin(), of.end(), [](const Strides& s) {
    return s.kind == Strides::Kind::kIrregular || s.kind == Strides::Kind::kDrifting;
  }));
}

std::uint64_t Strides::distance(const BlockStep& step) const {
  const auto part = [](std::int32_t n) { return std::uint64_t{static_cast<std::uint32_t>(n)}; };
  const std::uint64_t in_rows = scatter(part(step.x) << 32 | part(step.y)) ^ part(step.z);
  const std::uint64_t rows = part(step.row_x) << 32 | part(step.row_y);
  return scatter(in_rows ^ rows) % extent_lines();
}

LineRing Strides::ring(std::uint64_t line) const {
  const std::uint64_t first = first_line();
  const std::uint64_t lines = extent_lines();
  const std::uint64_t from =
      line >= first ? (line - first) % lines : lines - 1 - (first - 1 - line) % lines;
  return {.first = first, .lines = lines, .from = from};
}

StrideTable find_strides(std::size_t instructions, launch::Dims grid, const BlockTrace& reference,
                         std::span<const BlockTrace* const> others) {
  StrideTable table;
  std::vector<Seen> seen(instructions);
  // A few warps suffice, since all blocks have the same shape.
  const std::size_t warps = reference.warps.size();
  std::vector<std::size_t> chosen{0};
  if (warps > 1) chosen.push_back(warps - 1);
  if (warps > 2) chosen.push_back(warps / 2);
  for (const std::size_t w : chosen) {
    const WarpRequests mine = requests_of(reference, w);
    for (const BlockTrace* other : others) {
      if (other->linear == reference.linear) continue;
      observe(mine, requests_of(*other, w), other->linear,
              step_between(reference.linear, other->linear, {.grid = grid}), seen);
    }
  }
  table.numbers.grid = grid;
  find_rows(reference, std::move(seen), table);
  table.alike = table.irregular() == 0;
  add_extent(reference, table.of);
  for (const BlockTrace* other : others) {
    add_extent(*other, table.of);
    table.alike = table.alike && other->path == reference.path;
  }
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  for (const Strides& s : table.of) {
    if (s.high == 0) continue;
    low = std::min(low, s.low);
    high = std::max(high, s.high);
  }
  for (Strides& s : table.of) {
    if (!leads_out(s, table.numbers, static_cast<double>(high - low))) continue;
    s = {.kind = Strides::Kind::kIrregular, .low = s.low, .high = s.high};
    table.alike = false;
  }
  std::vector<const BlockTrace*> blocks{&reference};
  blocks.insert(blocks.end(), others.begin(), others.end());
  settle_irregular(table.numbers.grid, blocks, table.of);
  return table;
}

}  // namespace burin::timing
