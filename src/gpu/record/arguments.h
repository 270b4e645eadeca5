// Reads the argument bytes of a launch and finds the allocations that its pointers refer to.
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

// The parameter block of a launch, which passes its arguments either as `parameters` or as `extra`.
// Returns nullopt if the kernel has parameters but neither provides them.
std::optional<std::vector<std::uint8_t>> read_arguments(const RecordedKernel& kernel,
                                                        void** parameters, void** extra);

// A cache of the driver's address queries, valid until memory is freed. Thread-safe, but must not
// be called from CUPTI's resource callbacks: it calls the driver while holding a lock.
class Allocations {
 public:
  explicit Allocations(const RecordDriver& driver) : driver_(driver) {}

  // The allocations that any word of these bytes points into, including pointers inside structures.
  // An integer that happens to equal an address in an allocation is treated as a pointer.
  std::vector<capture::SpoolAllocation> pointed_at(std::span<const std::uint8_t> bytes);

  // The same, and what texture objects among the arguments read. Their handles are small numbers:
  // an integer that happens to equal one is treated as a texture object.
  std::vector<capture::SpoolAllocation> of_arguments(std::span<const std::uint8_t> arguments);

  void add_texture(std::uint64_t handle, const capture::SpoolAllocation& memory);
  void forget();

 private:
  const capture::SpoolAllocation* find(CudaPointer address);

  const RecordDriver& driver_;
  std::mutex mutex_;
  std::map<CudaPointer, capture::SpoolAllocation> known_;       // by the address of the last byte
  std::unordered_set<CudaPointer> unknown_;                     // addresses outside all allocations
  std::map<std::uint64_t, capture::SpoolAllocation> textures_;  // what they read, by handle
};

}  // namespace burin::gpu
