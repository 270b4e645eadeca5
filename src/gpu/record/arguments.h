// The bytes of a launch's arguments, and the allocations that the pointers among them fall in.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "gpu/record/driver/driver.h"
#include "gpu/record/modules.h"

namespace burin::gpu {

// The parameter block, from either way in which a launch can hand over its arguments; nothing where
// neither is there although the kernel takes some.
std::optional<std::vector<std::uint8_t>> read_arguments(const RecordedKernel& kernel,
                                                        void** parameters, void** extra);

// What the driver says about addresses, remembered until something is freed. Safe from many
// threads, but not to be called from CUPTI's resource callbacks: it calls the driver with a lock
// held.
class Allocations {
 public:
  explicit Allocations(const RecordDriver& driver) : driver_(driver) {}

  // Every word of the arguments that points into an allocation. A structure's pointers count too;
  // an integer that looks like an address of an allocation cannot be told from one.
  std::vector<capture::SpoolAllocation> pointed_at(std::span<const std::uint8_t> arguments);

  void forget();

 private:
  const capture::SpoolAllocation* find(CudaPointer address);

  const RecordDriver& driver_;
  std::mutex mutex_;
  std::map<CudaPointer, capture::SpoolAllocation> known_;  // by the last byte
  std::unordered_set<CudaPointer> unknown_;                // addresses that are in no allocation
};

}  // namespace burin::gpu
