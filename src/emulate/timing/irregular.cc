#include "emulate/timing/irregular.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace burin {

namespace {

// What one block used at one instruction.
struct Used {
  std::uint64_t block = 0;           // its number in the grid
  std::vector<std::uint64_t> lines;  // in order, each once
  double middle = 0;                 // mean of the lines, as often as they were used

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
      for (const LineUse& use : trace.lines_of(r)) lines[step.instruction].push_back(use.line());
    }
  }
  for (auto& [instruction, used] : lines) {
    Used one{.block = trace.linear, .lines = std::move(used)};
    for (const std::uint64_t line : one.lines) one.middle += static_cast<double>(line);
    one.middle /= static_cast<double>(one.lines.size());
    std::sort(one.lines.begin(), one.lines.end());
    one.lines.erase(std::unique(one.lines.begin(), one.lines.end()), one.lines.end());
    to[instruction].push_back(std::move(one));
  }
}

// Lines from one block to the next, where all have ranges of their own that lie as the blocks do.
std::optional<double> drift(std::vector<Used>& blocks) {
  if (blocks.size() < 2) return std::nullopt;
  std::sort(blocks.begin(), blocks.end(),
            [](const Used& a, const Used& b) { return a.block < b.block; });
  const Used& first = blocks.front();
  const Used& last = blocks.back();
  const double all = last.middle - first.middle;
  for (std::size_t k = 1; k < blocks.size(); ++k) {
    const Used& a = blocks[k - 1];
    const Used& b = blocks[k];
    const bool onwards = (b.middle - a.middle) * all > 0;
    if (!onwards || a.has(b.middle) || b.has(a.middle)) return std::nullopt;
  }
  return all / static_cast<double>(last.block - first.block);
}

// Lines that more than half of the blocks use, and at least three where there are as many:
// neighbours share what lies between them.
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

}  // namespace

void settle_irregular(Dims grid, std::span<const BlockTrace* const> traces,
                      std::vector<Strides>& of) {
  UsedBy used;
  for (const BlockTrace* trace : traces) add_block(*trace, of, used);
  for (auto& [instruction, blocks] : used) {
    Strides& s = of[instruction];
    const std::optional<double> lines = drift(blocks);
    if (!lines) {
      s.common = common_lines(blocks);
      continue;
    }
    const double bytes = *lines * kLineBytes;
    s.kind = Strides::Kind::kDrifting;
    s.x = std::llround(bytes);
    s.y = std::llround(bytes * grid.x);
    s.z = std::llround(bytes * grid.x * grid.y);
  }
}

}  // namespace burin
