#include "model/carve/threshold.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/numbers.h"
#include "launch/number.h"

namespace burin::model {
namespace {

struct Row {
  std::string_view name;
  Threshold::Quantity quantity;
  double Metrics::* value;
  bool at_least;
};
constexpr std::array kRows = {
    Row{"coalescing", Threshold::Quantity::kCoalescing, &Metrics::coalescing, true},
    Row{"demand", Threshold::Quantity::kDemand, &Metrics::demand, false},
    Row{"spills", Threshold::Quantity::kSpills, &Metrics::spill_bytes, false},
    Row{"occupancy", Threshold::Quantity::kOccupancy, &Metrics::occupancy, true},
};

const Row& row_of(Threshold::Quantity quantity) {
  return *std::ranges::find(kRows, quantity, &Row::quantity);
}

}  // namespace

Result<Threshold> parse_threshold(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto row = std::ranges::find(kRows, text.substr(0, equals), &Row::name);
  std::string_view number = equals == text.npos ? std::string_view() : text.substr(equals + 1);
  const bool relative = number.ends_with('x');
  if (relative) number.remove_suffix(1);
  const auto value = launch::parse_real<double>(number);
  if (row == kRows.end() || !value || *value < 0) {
    return Error{fmt::format("expected coalescing=N, demand=N, spills=N or occupancy=N (Nx: "
                             "relative to the best configuration), not '{}'",
                             text),
                 Exit::kUsage};
  }
  return Threshold{row->quantity, *value, relative, std::string(text)};
}

double limit_of(const Threshold& threshold, std::span<const Metrics* const> all) {
  if (!threshold.relative || all.empty()) return threshold.limit;
  const Row& row = row_of(threshold.quantity);
  double best = all.front()->*row.value;
  for (const Metrics* metrics : all) {
    const double value = metrics->*row.value;
    best = row.at_least ? std::max(best, value) : std::min(best, value);
  }
  return threshold.limit * best;
}

std::string miss(const Threshold& threshold, double limit, const Metrics& metrics) {
  const Row& row = row_of(threshold.quantity);
  const double value = metrics.*row.value;
  if (row.at_least ? value >= limit : value <= limit) return "";
  return fmt::format("{} {}, {} {}", row.name, short_number(value),
                     row.at_least ? "less than" : "more than", short_number(limit));
}

}  // namespace burin::model
