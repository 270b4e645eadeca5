#include "emulate/timing/neighbours.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "emulate/timing/cache.h"
#include "emulate/timing/irregular.h"

namespace burin {

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

// One pair of blocks seen at one instruction.
struct Observation {
  std::uint64_t block = 0;  // the other's number
  BlockStep step;
  std::int64_t shift = 0;
  std::uint32_t count = 1;  // how often
};

bool same(const BlockStep& a, const BlockStep& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Per instruction, the shifts between the reference and one other block; several where the
// instruction's addresses do not all move alike.
struct Seen {
  std::vector<Observation> moves;
  bool irregular = false;
};

void observe(const WarpRequests& from, const WarpRequests& to, std::uint64_t block,
             const BlockStep& step, std::vector<Seen>& seen) {
  constexpr std::size_t kMostCompared = 64;  // of one instruction in one warp
  for (const auto& [instruction, mine] : from) {
    const auto theirs = to.find(instruction);
    if (theirs == to.end()) continue;
    Seen& s = seen[instruction];
    const std::size_t count = std::min({mine.size(), theirs->second.size(), kMostCompared});
    for (std::size_t k = 0; k < count; ++k) {
      const Request& a = *mine[k];
      const Request& b = *theirs->second[k];
      // At the edge of the data fewer lanes take part: says nothing about the rest.
      if (a.lanes != b.lanes) continue;
      if (a.shape != b.shape) {
        s.irregular = true;
        continue;
      }
      const auto shift = static_cast<std::int64_t>(b.first_address - a.first_address);
      const auto seen_before = std::find_if(
          s.moves.begin(), s.moves.end(),
          [&](const Observation& m) { return m.shift == shift && same(m.step, step); });
      if (seen_before != s.moves.end()) {
        ++seen_before->count;
        continue;
      }
      s.moves.push_back({block, step, shift});
    }
  }
}

// The stride along one axis that most moves along it speak for, when those before are known.
std::int64_t stride_along(const Seen& seen, std::int32_t BlockStep::* axis, const Strides& known) {
  std::int64_t best = 0;
  std::uint32_t votes = 0;
  const bool with_y = axis != &BlockStep::x;
  const bool with_z = axis == &BlockStep::z;
  for (const Observation& m : seen.moves) {
    const std::int32_t along = m.step.*axis;
    if (along == 0 || (m.step.y != 0 && !with_y) || (m.step.z != 0 && !with_z)) continue;
    const std::int64_t rest = m.shift - known.shift(m.step);
    if (rest % along != 0 || m.count <= votes) continue;
    best = rest / along;
    votes = m.count;
  }
  return best;
}

// Strides that explain the moves, or kIrregular. A few exceptions are allowed: blocks that go on in
// another row of tiles.
Strides explain(const Seen& seen) {
  constexpr double kMostExceptions = 0.3;
  Strides out;
  if (seen.irregular) {
    out.kind = Strides::Kind::kIrregular;
    return out;
  }
  if (seen.moves.empty()) return out;
  out.kind = Strides::Kind::kAffine;
  out.x = stride_along(seen, &BlockStep::x, out);
  out.y = stride_along(seen, &BlockStep::y, out);
  out.z = stride_along(seen, &BlockStep::z, out);
  double all = 0;
  double exceptions = 0;
  for (const Observation& m : seen.moves) {
    all += m.count;
    if (out.shift(m.step) != m.shift) exceptions += m.count;
  }
  if (exceptions > kMostExceptions * all) out.kind = Strides::Kind::kIrregular;
  if (out.kind == Strides::Kind::kAffine && out.x == 0 && out.y == 0 && out.z == 0) {
    out.kind = Strides::Kind::kSame;
  }
  return out;
}

std::size_t irregular_of(const std::vector<Strides>& of) {
  return static_cast<std::size_t>(std::count_if(
      of.begin(), of.end(), [](const Strides& s) { return s.kind == Strides::Kind::kIrregular; }));
}

// How many strides it takes to say where the blocks' addresses lie.
std::size_t strides_of(const std::vector<Strides>& of) {
  std::size_t sum = 0;
  for (const Strides& s : of) {
    sum += (s.x != 0 ? 1u : 0u) + (s.y != 0 ? 1u : 0u) + (s.z != 0 ? 1u : 0u);
  }
  return sum;
}

// Blocks numbered along one axis may go over a plane, n in a row: the n with which the addresses
// follow from the block's place in it, to the byte, in the plainest way. Nothing where that is not
// so of most.
void find_rows(const BlockTrace& reference, std::vector<Seen> seen, StrideTable& table) {
  constexpr std::uint32_t kMostInRow = 4096;
  constexpr std::size_t kResolved = 4;  // of five
  const std::size_t before = irregular_of(table.of);
  if (before == 0 || table.grid.y != 1 || table.grid.z != 1) return;
  std::pair<std::size_t, std::size_t> best{before, 0};
  const Dims line = table.grid;
  for (std::uint32_t n = 2; n <= std::min(line.x / 2, kMostInRow); ++n) {
    const Dims plane{n, (line.x + n - 1) / n, 1};
    const Dims from = block_index(reference.linear, plane);
    std::vector<Strides> of;
    of.reserve(seen.size());
    bool in_row = false;  // clusters may all begin at the same place of their rows
    for (Seen& s : seen) {
      for (Observation& m : s.moves) {
        m.step = step_between(from, block_index(m.block, plane));
        in_row = in_row || (m.step.x != 0 && m.step.y == 0);
      }
      of.push_back(explain(s));
    }
    if (!in_row) continue;
    const std::pair found{irregular_of(of), strides_of(of)};
    const std::size_t left = found.first;
    if (found >= best || (before - left) * (kResolved + 1) < before * kResolved) continue;
    best = found;
    table.of = std::move(of);
    table.grid = plane;
  }
}

// A stride that leads out of the memory was read off two addresses by chance.
bool leads_out(const Strides& s, Dims grid, double memory) {
  constexpr double kBeyond = 16;  // times what was seen of it
  const double reach = std::abs(static_cast<double>(s.x)) * (grid.x - 1) +
                       std::abs(static_cast<double>(s.y)) * (grid.y - 1) +
                       std::abs(static_cast<double>(s.z)) * (grid.z - 1);
  return s.kind == Strides::Kind::kAffine && reach > kBeyond * memory;
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

BlockStep step_between(Dims from, Dims to) {
  return {static_cast<std::int32_t>(to.x) - static_cast<std::int32_t>(from.x),
          static_cast<std::int32_t>(to.y) - static_cast<std::int32_t>(from.y),
          static_cast<std::int32_t>(to.z) - static_cast<std::int32_t>(from.z)};
}

Dims block_index(std::uint64_t linear, Dims grid) {
  return {static_cast<std::uint32_t>(linear % grid.x),
          static_cast<std::uint32_t>(linear / grid.x % grid.y),
          static_cast<std::uint32_t>(linear / grid.x / grid.y)};
}

std::uint64_t Strides::distance(const BlockStep& step) const {
  const auto part = [](std::int32_t n) { return std::uint64_t{static_cast<std::uint32_t>(n)}; };
  return scatter(scatter(part(step.x) << 32 | part(step.y)) ^ part(step.z)) % extent_lines();
}

std::uint64_t Strides::elsewhere(std::uint64_t line, const BlockStep& step) const {
  return first_line() + (line - first_line() + distance(step)) % extent_lines();
}

StrideTable find_strides(std::size_t instructions, Dims grid, const BlockTrace& reference,
                         std::span<const BlockTrace* const> others) {
  StrideTable table;
  std::vector<Seen> seen(instructions);
  // A few warps tell; all blocks have the same shape.
  const std::size_t warps = reference.warps.size();
  std::vector<std::size_t> chosen{0};
  if (warps > 1) chosen.push_back(warps - 1);
  if (warps > 2) chosen.push_back(warps / 2);
  for (const std::size_t w : chosen) {
    const WarpRequests mine = requests_of(reference, w);
    for (const BlockTrace* other : others) {
      if (other->linear == reference.linear) continue;
      observe(mine, requests_of(*other, w), other->linear,
              step_between(reference.index, other->index), seen);
    }
  }
  table.grid = grid;
  table.of.reserve(instructions);
  for (const Seen& s : seen) table.of.push_back(explain(s));
  find_rows(reference, std::move(seen), table);
  table.alike = irregular_of(table.of) == 0;
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
    if (!leads_out(s, table.grid, static_cast<double>(high - low))) continue;
    s = {.kind = Strides::Kind::kIrregular, .low = s.low, .high = s.high};
    table.alike = false;
  }
  std::vector<const BlockTrace*> blocks{&reference};
  blocks.insert(blocks.end(), others.begin(), others.end());
  settle_irregular(table.grid, blocks, table.of);
  return table;
}

}  // namespace burin
