// Limits that a configuration must meet to be worth comparing at all.
//
//   Result<Threshold> t = parse_threshold("occupancy=0.25");    // at least a quarter
//   Result<Threshold> t = parse_threshold("demand=1.5x");       // at most 1.5 times the lowest
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/carve/metrics.h"

namespace burin::model {

struct Threshold {
  enum class Quantity : std::uint8_t {
    kCoalescing,  // at least
    kDemand,      // at most: DRAM bytes per cycle without stalls, as a share of the bandwidth
    kSpills,      // at most: bytes of local memory of a thread
    kOccupancy,   // at least
  };
  Quantity quantity = Quantity::kCoalescing;
  double limit = 0;
  bool relative = false;  // to the best of the space
  std::string text{};     // as the user wrote it
};

// QUANTITY=NUMBER or QUANTITY=NUMBERx: coalescing, demand, spills, occupancy.
Result<Threshold> parse_threshold(std::string_view text);

// The value beyond which a configuration goes, given those that are compared.
double limit_of(const Threshold& threshold, std::span<const Metrics* const> all);

// Why a configuration misses the limit; "": it meets it.
std::string miss(const Threshold& threshold, double limit, const Metrics& metrics);

}  // namespace burin::model
