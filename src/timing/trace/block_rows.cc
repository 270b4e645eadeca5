#include "timing/trace/block_rows.h"

#include <algorithm>
#include <utility>

namespace burin::timing {

namespace {

constexpr std::uint32_t kMaxInRow = 4096;

std::uint32_t rows_of(std::uint32_t all, std::uint32_t each) {
  return (all + each - 1) / each;
}
std::uint32_t longest_row(std::uint32_t all) {
  return std::min(all / 2, kMaxInRow);
}

// Alternative numberings of a line of blocks: as a plane, and as small groups in a plane.
void add_ways_of_line(std::uint32_t line, std::vector<BlockNumbers>& out) {
  constexpr std::uint32_t kMaxInGroup = 32;
  for (std::uint32_t n = 2; n <= longest_row(line); ++n) {
    out.push_back({.grid = {n, rows_of(line, n), 1}});
  }
  for (std::uint32_t n = 2; n <= kMaxInGroup; n *= 2) {
    const std::uint32_t groups = rows_of(line, n);
    for (std::uint32_t m = 2; m <= longest_row(groups); ++m) {
      out.push_back({.grid = {n, groups, 1}, .row_y = m});
    }
  }
}

// Alternative numberings of the same blocks, with one more axis split into rows.
std::vector<BlockNumbers> other_ways(const BlockNumbers& now) {
  std::vector<BlockNumbers> out;
  if (now.grid.z != 1) return out;
  if (now.grid.y == 1) {
    add_ways_of_line(now.grid.x, out);
    return out;
  }
  for (const auto& [axis, row] : {std::pair{&launch::Dims::x, &BlockNumbers::row_x},
                                  std::pair{&launch::Dims::y, &BlockNumbers::row_y}}) {
    if (now.*row != BlockNumbers::kUncut) continue;
    for (std::uint32_t n = 2; n <= longest_row(now.grid.*axis); ++n) {
      BlockNumbers way = now;
      way.*row = n;
      out.push_back(way);
    }
  }
  return out;
}

// How badly strides explain the observed shifts; lower is better.
struct Misfit {
  std::size_t irregular = 0;  // instructions
  double exceptions = 0;
  std::size_t axes = 0;

  void add(const Explained& one) {
    const bool fits = one.strides.kind != Strides::Kind::kIrregular;
    irregular += fits ? 0 : 1;
    exceptions += fits ? one.exceptions : 0;
    axes += one.strides.axes();
  }
  auto operator<=>(const Misfit&) const = default;
};

// Finds the strides and rows that explain the observed shifts best.
class RowSearch {
 public:
  // Instructions whose lane patterns differ between blocks cannot be explained by any numbering and
  // are ignored.
  RowSearch(std::uint64_t reference, std::vector<Seen>& seen, BlockNumbers& numbers)
      : reference_(reference), numbers_(numbers) {
    for (Seen& s : seen) {
      for (const Observation& m : s.moves) blocks_.push_back(m.block);
      if (!s.irregular && !s.moves.empty()) seen_.push_back(&s);
    }
    std::ranges::sort(blocks_);
    blocks_.erase(std::ranges::unique(blocks_).begin(), blocks_.end());
  }

  // Splits one more axis if that explains irregular instructions, or most of the unexplained shifts
  // of the others.
  bool cut() {
    const Misfit before = misfit();
    if (before.irregular == 0 && before.exceptions == 0) return false;
    const auto improves = [&](const Misfit& after) {
      constexpr double kLeft = 0.25;
      if (after.irregular != before.irregular) return after.irregular < before.irregular;
      return after.exceptions <= kLeft * before.exceptions;
    };
    Misfit best = before;
    BlockNumbers chosen = numbers_;
    for (const BlockNumbers& way : other_ways(numbers_)) {
      if (!has_neighbours(way)) continue;
      number(way);
      const Misfit after = misfit();
      if (!improves(after) || after >= best) continue;
      best = after;
      chosen = way;
    }
    number(chosen);
    const bool better = chosen != numbers_;
    numbers_ = chosen;
    return better;
  }

 private:
  // If all clusters begin at the same position of their rows, the stride within a row is unknown.
  bool has_neighbours(const BlockNumbers& way) const {
    return std::ranges::any_of(blocks_, [&](std::uint64_t block) {
      const BlockStep step = step_between(reference_, block, way);
      return step.x != 0 && step == BlockStep{.x = step.x};
    });
  }
  void number(const BlockNumbers& way) {
    for (Seen* s : seen_) {
      for (Observation& m : s->moves) m.step = step_between(reference_, m.block, way);
    }
  }
  Misfit misfit() const {
    Misfit sum;
    for (const Seen* s : seen_) sum.add(explain(*s));
    return sum;
  }

  std::uint64_t reference_;
  BlockNumbers& numbers_;
  std::vector<Seen*> seen_;
  std::vector<std::uint64_t> blocks_;
};

}  // namespace

void find_rows(const BlockTrace& reference, std::vector<Seen> seen, StrideTable& table) {
  RowSearch search(reference.linear, seen, table.numbers);
  while (search.cut()) {
  }
  for (const Seen& s : seen) {
    const Explained one = explain(s);
    table.of.push_back(one.strides);
    table.exceptions += one.exceptions;
  }
}

std::vector<std::uint64_t> blocks_in_rows(launch::Dims grid, launch::Dims from, std::size_t most) {
  std::vector<std::uint64_t> out;
  const auto linear = [&](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return x + grid.x * (y + grid.y * z);
  };
  for (std::uint32_t step = 1; step < std::max({grid.x, grid.y, grid.z}); step *= 2) {
    if (from.x + step < grid.x) out.push_back(linear(from.x + step, from.y, from.z));
    if (from.y + step < grid.y) out.push_back(linear(from.x, from.y + step, from.z));
    if (from.x >= step) out.push_back(linear(from.x - step, from.y, from.z));
    if (from.y >= step) out.push_back(linear(from.x, from.y - step, from.z));
  }
  // Near blocks show the strides within rows, far blocks where rows begin.
  if (out.size() > most) {
    std::vector<std::uint64_t> fewer;
    for (std::size_t k = 0; k < most; ++k) fewer.push_back(out[k * out.size() / most]);
    out = std::move(fewer);
  }
  return out;
}

}  // namespace burin::timing
