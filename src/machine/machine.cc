#include "machine/machine.h"

namespace burin::machine {
namespace {

// In the order of IssuePolicy.
constexpr std::string_view kPolicies[] = {"greedy_oldest_block", "greedy_any", "greedy_youngest",
                                          "greedy_oldest", "round_robin"};

}  // namespace

Machine Machine::at_clock(double mhz) const {
  Machine other = *this;
  const double slower = mhz / sm.clock_mhz;
  other.sm.clock_mhz = mhz;
  for (double* rate : {&other.dram.bandwidth, &other.dram.write_bandwidth, &other.dram.scattered}) {
    *rate /= slower;
  }
  for (double* cycles : {&other.dram.latency, &other.dram.loaded}) *cycles *= slower;
  return other;
}

bool Machine::is_inherited(std::string_view source) const {
  return !base.empty() && source.starts_with(base + ":");
}

std::string_view name(IssuePolicy policy) {
  return kPolicies[static_cast<std::size_t>(policy)];
}

std::optional<IssuePolicy> parse_issue_policy(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kPolicies); ++i) {
    if (kPolicies[i] == text) return static_cast<IssuePolicy>(i);
  }
  return std::nullopt;
}

}  // namespace burin::machine
