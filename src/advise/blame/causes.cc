#include "advise/blame/causes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/code/regions.h"

namespace burin::advise {
namespace {

// A source line, or an instruction where there is no line information.
using LineKey = std::pair<std::string_view, std::uint32_t>;
// Stalled line, blamed line, loop, reason, dependency.
using CauseKey = std::tuple<LineKey, LineKey, std::uint32_t, launch::Stall, Dependency>;

class CauseTable {
 public:
  explicit CauseTable(double total) : total_(total) {}

  // `stalls` with the largest first, so that a row is named after its largest pair.
  template <typename KeyOf>
  void add(const std::vector<BlamedStall>& stalls, bool pruned, const read::Kernel& kernel,
           const KeyOf& key_of) {
    for (const BlamedStall& each : stalls) {
      const auto [at, is_new] = rows_.try_emplace(key_of(each));
      StallCause& row = at->second;
      if (is_new) {
        row = {.waits = each.waits,
               .cause = each.cause,
               .distance = each.distance,
               .stall = each.stall,
               .dependency = each.dependency,
               .loop = kernel.blocks[kernel.block_of[each.waits]].loop};
      }
      const double share = each.cycles.sum() / total_;
      if (pruned) {
        row.share += share;
        ++row.pairs;
      } else {
        row.share_unpruned = row.share_unpruned.value_or(0) + share;
      }
    }
  }

  std::vector<StallCause> sorted(bool has_unpruned) const {
    std::vector<StallCause> rows;
    for (const auto& [key, row] : rows_) {
      rows.push_back(row);
      if (has_unpruned && !row.share_unpruned) rows.back().share_unpruned = 0;
    }
    std::ranges::stable_sort(rows, std::ranges::greater{}, [](const StallCause& row) {
      return std::pair(row.share, row.share_unpruned.value_or(0));
    });
    return rows;
  }

 private:
  double total_;
  std::map<CauseKey, StallCause> rows_;
};

}  // namespace

StallCauses causes_of(const read::Kernel& kernel, const BlamedProfile& blamed) {
  StallCauses causes;
  if (blamed.total <= 0) return causes;
  std::vector<LineKey> lines;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const analyze::SourceLine line = analyze::line_of(kernel, i);
    lines.emplace_back(line.file, line.file.empty() ? i : line.line);
  }
  const auto loop_of = [&](const BlamedStall& stall) {
    return kernel.blocks[kernel.block_of[stall.waits]].loop;
  };
  const auto by_line = [&](const BlamedStall& s) {
    return CauseKey{lines[s.waits], lines[s.cause], loop_of(s), s.stall, s.dependency};
  };
  const auto by_loop = [&](const BlamedStall& s) {
    return CauseKey{{}, {}, loop_of(s), s.stall, s.dependency};
  };
  const auto table = [&](const auto& key_of) {
    CauseTable all(blamed.total);
    all.add(blamed.stalls, true, kernel, key_of);
    all.add(blamed.unpruned, false, kernel, key_of);
    return all.sorted(!blamed.unpruned.empty());
  };
  causes.lines = table(by_line);
  causes.loops = table(by_loop);
  causes.unattributed = blamed.unattributed / blamed.total;
  causes.issued = std::accumulate(blamed.issued.begin(), blamed.issued.end(), 0.0) / blamed.total;
  return causes;
}

}  // namespace burin::advise
