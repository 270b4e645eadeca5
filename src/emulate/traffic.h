// Counts what a run's accesses to global memory ask of the caches: a Listener, so a run that is not
// asked for it does not pay for it.
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
  std::uint64_t sectors = 0;   // 32-byte pieces, each once per request
  std::uint64_t bytes = 0;     // that the lanes asked for
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

// The sectors that the lanes' known addresses touch.
std::uint32_t sectors_of(const Access& access);

}  // namespace burin::emulate
