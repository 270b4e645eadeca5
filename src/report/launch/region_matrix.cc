// The sensitivities of a launch by region, as a matrix:
//
//   region                    dram throughput    l2 latency
//   whole launch                       58.0 %        12.1 %
//   loop at k.cu:41-44                 51.2 %        11.0 %
//   code at k.cu:12-20                  4.0 %         0.8 %
//   interaction                         2.8 %         0.3 %
#include <algorithm>
#include <optional>
#include <vector>

#include "base/format.h"
#include "base/numbers.h"
#include "report/launch/explain.h"

namespace burin::report {
namespace {

constexpr double kMinPart = 0.1;  // of a column; regions with less of every column are left out
constexpr std::size_t kGap = 2;

const analyze::RegionShare* find(const std::vector<analyze::RegionShare>& shares,
                                 std::size_t region) {
  for (const analyze::RegionShare& share : shares) {
    if (share.region == region) return &share;
    if (const analyze::RegionShare* inner = find(share.inside, region)) return inner;
  }
  return nullptr;
}

class Matrix {
 public:
  Matrix(Output& out, const ExplainReport& report) : out_(out), report_(report) {
    for (const analyze::Sensitivity& row : report.explanation.limits.rows) {
      if (!row.regions.empty()) columns_.push_back(&row);
    }
  }

  void write() {
    if (columns_.empty()) return;
    const analyze::Regions& regions = report_.explanation.regions;
    for (const std::size_t region : regions.top) choose(region, 0);
    for (const Line& line : lines_) width_ = std::max(width_, line.name.size());
    out_.put('\n', Style::kBold, Left{"region", width_});
    for (const analyze::Sensitivity* c : columns_) out_.put(Right{title(*c), cell(*c)});
    out_.put(Style::kPlain, '\n');
    write_line("whole launch",
               [](const analyze::Sensitivity& c) { return std::optional(c.share); });
    for (const Line& line : lines_) {
      write_line(line.name, [&](const analyze::Sensitivity& c) {
        const analyze::RegionShare* share = find(c.regions, line.region);
        return share == nullptr ? std::nullopt : std::optional(share->share);
      });
    }
    write_line("interaction",
               [](const analyze::Sensitivity& c) { return std::optional(c.interaction); });
  }

 private:
  struct Line {
    std::size_t region = 0;
    std::string name;
  };

  static std::string title(const analyze::Sensitivity& c) {
    return fmt::format("{} {}", machine::name(c.resource), analyze::name(c.mode));
  }
  static std::size_t cell(const analyze::Sensitivity& c) {
    return kGap + std::max<std::size_t>(title(c).size(), 8);
  }

  // The region and its inner regions, if they are large enough for a line.
  void choose(std::size_t region, std::size_t depth) {
    bool measured = false;
    bool large = report_.all;
    for (const analyze::Sensitivity* c : columns_) {
      const analyze::RegionShare* share = find(c->regions, region);
      measured = measured || share != nullptr;
      large = large || (share != nullptr && share->share >= kMinPart * c->share);
    }
    if (!measured || !large) return;
    const analyze::Region& its = report_.explanation.regions.list[region];
    lines_.push_back({region, std::string(2 * depth, ' ') + its.name});
    for (const std::size_t inner : its.inside) choose(inner, depth + 1);
  }

  template <typename Value>
  void write_line(std::string_view name, Value value) {
    out_.put(Left{name, width_});
    for (const analyze::Sensitivity* c : columns_) {
      const std::optional<double> share = value(*c);
      out_.put(Right{share ? percent(*share) : "–", cell(*c)});
    }
    out_.put('\n');
  }

  Output& out_;
  const ExplainReport& report_;
  std::vector<const analyze::Sensitivity*> columns_;
  std::vector<Line> lines_;
  std::size_t width_ = 14;
};

}  // namespace

void write_region_matrix(Output& out, const ExplainReport& report) {
  Matrix(out, report).write();
}

}  // namespace burin::report
