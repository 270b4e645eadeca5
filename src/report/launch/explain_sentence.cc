// The bottleneck in words.
#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "report/launch/explain.h"

namespace burin::report {
namespace {

constexpr double kLimits = 0.15;  // a smaller share is no bottleneck
constexpr double kMostly = 0.5;   // part of a share that a region has, to be named
constexpr double kWorthNaming = 0.03;

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

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

// ", mostly in the loop at stream.cu:31-33": the smallest region that has most of the share.
std::string place(const ExplainReport& report, const analyze::Sensitivity& row) {
  const std::vector<analyze::RegionShare>* shares = &row.regions;
  const analyze::RegionShare* found = nullptr;
  while (!shares->empty()) {
    const auto most = std::ranges::max_element(*shares, {}, &analyze::RegionShare::share);
    if (most->share < kMostly * row.share) break;
    found = &*most;
    shares = &most->inside;
  }
  if (found == nullptr) return "";
  return ", mostly in the " + report.explanation.regions.list[found->region].name;
}

}  // namespace

std::string_view words_of(machine::Resource resource) {
  return kWords[static_cast<std::size_t>(resource)];
}

std::string bottleneck_sentence(const ExplainReport& report) {
  const std::vector<analyze::Sensitivity>& rows = report.explanation.sensitivities;
  const analyze::Sensitivity& first = rows[0];
  const std::size_t ties = report.explanation.ties;
  std::string next;
  // As in the table, nothing is named that chance alone may have made.
  if (ties < rows.size() &&
      rows[ties].share >= std::max(kWorthNaming, 2 * rows[ties].uncertainty)) {
    next = "; next: " + with_share(rows[ties]);
  }
  if (first.share < kLimits) {
    return fmt::format("No single resource limits this kernel: the highest sensitivity is {}{}.",
                       with_share(first), next);
  }
  if (ties > 1) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < ties; ++k) names.push_back(with_share(rows[k]));
    return fmt::format("{} limit this kernel about equally{}{}.",
                       capital(list_of(names, names.size())), place(report, first), next);
  }
  return fmt::format(
      "{} limits this kernel (sensitivity {:.0f} %: time changes by {:.2f} % per 1 % of {}){}{}.",
      capital(words(first)), 100 * first.share, first.share, words(first), place(report, first),
      next);
}

}  // namespace burin::report
