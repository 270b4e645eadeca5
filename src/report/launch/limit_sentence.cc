#include "report/launch/limit_sentence.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/text.h"

namespace burin::report {
namespace {

constexpr double kWorthNaming = 0.03;
constexpr double kAboutEqual = 0.85;

// In the order of Resource.
constexpr std::string_view kWords[machine::kResources] = {
    "issue",
    "FMA pipe",
    "ALU",
    "FP64 unit",
    "XU",
    "tensor core",
    "uniform unit",
    "load/store unit",
    "shared memory",
    "L1",
    "L2",
    "DRAM",
    "constant cache",
    "instruction fetch",
    "barrier",
    "block dispatch",
};

std::string words(const analyze::Sensitivity& row) {
  return fmt::format("{} {}", words_of(row.resource), analyze::name(row.mode));
}

std::string with_share(const analyze::Sensitivity& row) {
  return fmt::format("{} ({:.0f} %)", words(row), 100 * row.share);
}

// "; next: DRAM latency (12 %)": the largest row that is not a limiter, unless it is within the
// noise.
std::string next_of(const analyze::Limits& limits) {
  const std::size_t first = limits.limiters.empty() ? 1 : 0;
  for (std::size_t k = first; k < limits.rows.size(); ++k) {
    const analyze::Sensitivity& row = limits.rows[k];
    if (std::ranges::find(limits.limiters, k) != limits.limiters.end()) continue;
    if (row.share < std::max(kWorthNaming, 2 * row.uncertainty)) return "";
    return "; next: " + with_share(row);
  }
  return "";
}

void write_row(Json& json, const analyze::Sensitivity& row) {
  json.field("resource", machine::name(row.resource));
  json.field("mode", analyze::name(row.mode));
  json.field("share", row.share);
}

}  // namespace

std::string_view words_of(machine::Resource resource) {
  return kWords[static_cast<std::size_t>(resource)];
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

std::string limit_sentence(const analyze::Limits& limits, std::string_view place) {
  const std::string next = next_of(limits);
  if (limits.limiters.empty()) {
    return fmt::format("No single resource limits this kernel: the highest sensitivity is {}{}.",
                       with_share(limits.rows[0]), next);
  }
  const analyze::Sensitivity& first = limits.rows[limits.limiters[0]];
  if (limits.saturated) {
    return fmt::format(
        "{} limits this kernel: its lower bound is {:.0f} % of the predicted time (sensitivity "
        "{:.0f} %){}{}.",
        capital(words(first)), 100 * limits.bound_share, 100 * first.share, place, next);
  }
  if (limits.limiters.size() > 1) {
    std::vector<std::string> names;
    for (const std::size_t k : limits.limiters) names.push_back(with_share(limits.rows[k]));
    const analyze::Sensitivity& last = limits.rows[limits.limiters.back()];
    const std::string how =
        last.share >= kAboutEqual * first.share
            ? "about equally"
            : fmt::format("and cannot be ranked (± {:.0f} %)", 100 * first.uncertainty);
    return fmt::format("{} limit this kernel {}{}{}.", capital(list_of(names, names.size())), how,
                       place, next);
  }
  return fmt::format(
      "{} limits this kernel (sensitivity {:.0f} %: time changes by {:.2f} % per 1 % of {}){}{}.",
      capital(words(first)), 100 * first.share, first.share, words(first), place, next);
}

void write_limits_json(Json& json, const analyze::Limits& limits) {
  json.open("bottleneck", '{');
  write_row(json, limits.rows[limits.limiters.empty() ? 0 : limits.limiters[0]]);
  json.field("limits", !limits.limiters.empty());
  json.field("saturated", limits.saturated);
  json.open("ties", '[');
  for (std::size_t k = 1; k < limits.limiters.size(); ++k) {
    json.open('{');
    write_row(json, limits.rows[limits.limiters[k]]);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
