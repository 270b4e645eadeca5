// Tracks what an instruction's value derives from: thread and block coordinates, kernel parameters,
// memory.
//
//   const Origins origins(kernel);
//   origins.of(i) & Origins::kThreadY     the result differs between threads with different y
//   origins.address_parameters(store)     {0x10}: stores through the pointer at that offset
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "read/program/kernel.h"

namespace burin::advise {

class Origins {
 public:
  using Mask = std::uint16_t;
  static constexpr Mask kThreadX = 1, kThreadY = 2, kThreadZ = 4;
  static constexpr Mask kBlock = 8;  // any component of blockIdx
  static constexpr Mask kBlockX = 64, kBlockY = 128, kBlockZ = 256;
  static constexpr Mask kMemory = 16;  // depends on a loaded value in some way
  // Depends on a loaded value that is no spill, not only through a condition.
  static constexpr Mask kLoaded = 32;
  // Depends on a value that was loaded from an address that may differ between lanes, so that the
  // value may differ as well. Lanes that load from one address get one value.
  static constexpr Mask kLoadedByLane = 512;

  explicit Origins(const read::Kernel& kernel);  // needs dependences; must outlive this object

  // Returns the origins of everything the instruction reads, including its guard and addresses.
  // Conditions that decide whether the instruction is reached do not count.
  Mask of(std::uint32_t instruction) const { return masks_[instruction]; }
  // Returns the origins of the instruction's address.
  Mask of_address(std::uint32_t instruction) const;
  // Returns the offsets of the parameters that the address of a load or store is computed from.
  // Parameters that only contribute through a loaded value are not included.
  std::set<std::uint32_t> address_parameters(std::uint32_t instruction) const;

 private:
  const read::Kernel& kernel_;
  std::vector<Mask> masks_;
};

// The index of the pointer parameter that contains this offset in its 8 bytes.
std::optional<std::size_t> pointer_at(const read::Function& function, std::uint32_t offset);

// Returns the offsets of the pointer parameters that the kernel stores through.
std::set<std::uint32_t> written_parameters(const read::Kernel& kernel);

}  // namespace burin::advise
