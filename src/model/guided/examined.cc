#include "model/guided/examined.h"

#include <algorithm>

namespace burin::model {

machine::Resource Examined::busiest() const {
  const auto most = std::ranges::max_element(demand_us);
  return static_cast<machine::Resource>(most - demand_us.begin());
}

Bottleneck Examined::bottleneck() const {
  const machine::Resource most = busiest();
  if (utilization(most) >= kBusy) return {.resource = most, .latency = false};
  // What warps wait for may be something that is never busy: a barrier, the launch itself. Then the
  // busiest resource is the one to keep busier.
  const bool has_demand = demand(waits_for) > 0;
  return {.resource = has_demand ? waits_for : most, .latency = true};
}

double Examined::warps_needed() const {
  const double busy_us = demand(bottleneck().resource);
  if (busy_us <= 0) return warps;
  return warps * std::min(1.0, chain_us / busy_us);
}

}  // namespace burin::model
