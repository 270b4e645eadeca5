// Counts the cache requests and sectors of a run's global memory accesses. Traffic is a Listener,
// so only runs that attach it pay for the counting.
//
//   Traffic traffic(kernel.instructions.size(), {});
//   options.listener = &traffic;
//   Result<Run> run = emulate(kernel, launch, options);
//   traffic.counts()[i].sectors / traffic.counts()[i].requests    // 4 where 32 lanes read 4 bytes
//                                                                 // each, side by side
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/values/event.h"
#include "emulate/values/sector.h"
#include "launch/options.h"

namespace burin::emulate {

struct TrafficCount {
  std::uint64_t requests = 0;  // warp instructions with a lane that accesses global memory
  std::uint64_t sectors = 0;   // distinct 32-byte sectors, summed over requests
  std::uint64_t bytes = 0;     // bytes requested by the lanes
  std::uint64_t unknown = 0;   // requests with a lane whose address is Unknown

  TrafficCount& operator+=(const TrafficCount& other);
};

class Traffic : public Listener {
 public:
  Traffic(std::size_t instructions, launch::UnknownAccess unknown)
      : counts_(instructions), unknown_(unknown) {}

  void executed(const Event& event) override;

  const std::vector<TrafficCount>& counts() const { return counts_; }  // per instruction

 private:
  std::vector<TrafficCount> counts_;
  launch::UnknownAccess unknown_;
};

// Returns the number of sectors touched by the lanes whose address is known.
std::uint32_t sectors_of(const Access& access);

}  // namespace burin::emulate
