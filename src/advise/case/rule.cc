#include "advise/case/rule.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "analyze/code/regions.h"
#include "base/format.h"

namespace burin::advise {

read::InstructionSet causes_of(const Case& c, std::span<const MatchedStall> stalls) {
  read::InstructionSet set(c.size());
  for (const MatchedStall& m : stalls) set[c.blamed.stalls[m.stall].cause] = 1;
  return set;
}

double issued_share(const Case& c, const read::InstructionSet& instructions) {
  double part = 0;
  double all = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    all += c.blamed.issued[i];
    if (instructions[i] != 0) part += c.blamed.issued[i];
  }
  return all > 0 ? part / all : 0;
}

std::string shape_options(const launch::Dims& grid, const launch::Dims& block) {
  return fmt::format("--grid {},{},{} --block {},{},{}", grid.x, grid.y, grid.z, block.x, block.y,
                     block.z);
}

void launch_grid(const Case& c, const launch::Dims& grid, Match& match) {
  match.hint += fmt::format(" Launch a grid of dim3({}, {}, {}); blocks stay dim3({}, {}, {}).",
                            grid.x, grid.y, grid.z, c.block.x, c.block.y, c.block.z);
  match.check = shape_options(grid, c.block);
}

void add_dynamic_shared(const Case& c, double bytes, std::string& hint, std::string& check) {
  const double all = static_cast<double>(c.needs.shared) + bytes;
  if (all <= static_cast<double>(kStaticShared)) return;
  hint +=
      " More than 48 KB must be dynamic (extern __shared__, "
      "cudaFuncAttributeMaxDynamicSharedMemorySize).";
  if (check.empty()) check = shape_options(c.grid, c.block);
  check += fmt::format(" --smem {:.0f}", all);
}

double share_of(const Case& c, std::span<const MatchedStall> stalls) {
  double sum = 0;
  for (const MatchedStall& m : stalls) sum += c.blamed.stalls[m.stall].cycles.sum() * m.weight;
  return c.blamed.total > 0 ? sum / c.blamed.total : 0;
}

const BlamedStall& hottest(const Case& c, std::span<const MatchedStall> stalls) {
  const auto most = std::ranges::max_element(stalls, {}, [&](const MatchedStall& m) {
    return c.blamed.stalls[m.stall].cycles.sum() * m.weight;
  });
  return c.blamed.stalls[most->stall];
}

const BlamedStall& hottest_of_line(const Case& c, std::span<const MatchedStall> stalls) {
  using Line = std::pair<std::string_view, std::uint32_t>;
  const auto line_at = [&](const MatchedStall& m) -> Line {
    const analyze::SourceLine line = analyze::line_of(c.kernel, c.blamed.stalls[m.stall].waits);
    return {line.file, line.line};
  };
  std::map<Line, double> sums;
  for (const MatchedStall& m : stalls) {
    sums[line_at(m)] += c.blamed.stalls[m.stall].cycles.sum() * m.weight;
  }
  const Line most =
      std::ranges::max_element(sums, {}, [](const auto& s) { return s.second; })->first;
  std::vector<MatchedStall> own;
  std::ranges::copy_if(stalls, std::back_inserter(own),
                       [&](const MatchedStall& m) { return line_at(m) == most; });
  return hottest(c, own);
}

}  // namespace burin::advise
