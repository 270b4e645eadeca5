#include "model/fit/decision_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace burin::model {
namespace {

constexpr double kForbidden = 10;  // the loss that stands for "not allowed"

struct Split {
  std::size_t axis = 0;
  double at_most = 0;
  double gain = 0;
};

class TableBuilder {
 public:
  TableBuilder(std::span<const TablePoint> points, const TableOptions& options)
      : points_(points), options_(options) {
    for (const TablePoint& point : points) total_ += point.weight;
  }

  std::vector<formula::TableNode> build() {
    std::vector<std::size_t> all(points_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    // Which regions are split is decided first, the best gain of all before the others.
    regions_.push_back({.members = all});
    for (std::size_t leaves = 1; leaves < options_.max_leaves; ++leaves) {
      std::optional<std::size_t> chosen;
      for (std::size_t i = 0; i < regions_.size(); ++i) {
        Region& region = regions_[i];
        if (region.children != 0) continue;
        if (!region.looked) region.split = best_split(region.members);
        region.looked = true;
        if (!region.split) continue;
        if (!chosen || region.split->gain > regions_[*chosen].split->gain) chosen = i;
      }
      if (!chosen) break;
      divide(*chosen);
    }
    write(0);
    return std::move(table_);
  }

 private:
  struct Region {
    std::vector<std::size_t> members;
    bool looked = false;
    std::optional<Split> split{};
    std::size_t children = 0;  // index of the first of two; 0: none
  };

  // Losses by shape, summed.
  std::vector<double> losses(std::span<const std::size_t> members) const {
    std::vector<double> sum(points_[members[0]].loss.size());
    for (const std::size_t member : members) add_losses(member, sum);
    return sum;
  }
  void add_losses(std::size_t member, std::vector<double>& sum) const {
    const TablePoint& point = points_[member];
    for (std::size_t shape = 0; shape < sum.size(); ++shape) {
      sum[shape] += point.weight * std::min(point.loss[shape], kForbidden);
    }
  }

  std::optional<Split> best_split(const std::vector<std::size_t>& members) const {
    const std::vector<double> all = losses(members);
    const double whole = std::ranges::min(all);
    std::optional<Split> best;
    for (std::size_t axis = 0; axis < points_[members[0]].axes.size(); ++axis) {
      std::vector<std::size_t> order = members;
      const auto value = [&](std::size_t member) { return points_[member].axes[axis]; };
      std::ranges::stable_sort(order, {}, value);
      std::vector<double> lower(all.size(), 0);  // sums of the points before the split
      for (std::size_t i = 1; i < order.size(); ++i) {
        add_losses(order[i - 1], lower);
        const double below = value(order[i - 1]);
        const double above = value(order[i]);
        if (below == above) continue;
        double left = lower[0];
        double right = all[0] - lower[0];
        for (std::size_t shape = 1; shape < all.size(); ++shape) {
          left = std::min(left, lower[shape]);
          right = std::min(right, all[shape] - lower[shape]);
        }
        const double gain = (whole - left - right) / total_;
        if (gain < options_.least_gain || (best && gain <= best->gain)) continue;
        best = Split{axis, std::floor(std::sqrt(below * above)), gain};
        if (best->at_most < below) best->at_most = below;
      }
    }
    return best;
  }

  void divide(std::size_t index) {
    Region left;
    Region right;
    const Split& split = *regions_[index].split;
    for (const std::size_t member : regions_[index].members) {
      const bool low = points_[member].axes[split.axis] <= split.at_most;
      (low ? left : right).members.push_back(member);
    }
    regions_[index].children = regions_.size();
    regions_.push_back(std::move(left));
    regions_.push_back(std::move(right));
  }

  void write(std::size_t index) {
    const Region& region = regions_[index];
    const std::size_t at = table_.size();
    table_.emplace_back();
    if (region.children == 0) {
      table_[at].ranked = ranked(region.members);
      return;
    }
    table_[at].axis = static_cast<std::uint32_t>(region.split->axis);
    table_[at].at_most = region.split->at_most;
    write(region.children);
    table_[at].otherwise = static_cast<std::uint32_t>(table_.size());
    write(region.children + 1);
  }

  std::vector<std::uint32_t> ranked(const std::vector<std::size_t>& members) const {
    const std::vector<double> sum = losses(members);
    std::vector<std::uint32_t> order(sum.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t shape) { return sum[shape]; });
    order.resize(std::min(order.size(), options_.ranked));
    return order;
  }

  std::span<const TablePoint> points_;
  const TableOptions& options_;
  double total_ = 0;
  std::vector<Region> regions_;
  std::vector<formula::TableNode> table_;
};

}  // namespace

std::vector<formula::TableNode> build_table(std::span<const TablePoint> points,
                                            const TableOptions& options) {
  if (points.empty()) return {};
  return TableBuilder(points, options).build();
}

double table_loss(std::span<const formula::TableNode> table, std::span<const TablePoint> points) {
  double sum = 0;
  double weights = 0;
  for (const TablePoint& point : points) {
    std::size_t at = 0;
    while (table[at].otherwise != 0) {
      at = point.axes[table[at].axis] <= table[at].at_most ? at + 1 : table[at].otherwise;
    }
    sum += point.weight * std::min(point.loss[table[at].ranked[0]], kForbidden);
    weights += point.weight;
  }
  return weights > 0 ? sum / weights : 0;
}

}  // namespace burin::model
