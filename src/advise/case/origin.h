// What the value of an instruction comes from: the thread's and the block's coordinates, the
// kernel's parameters, memory.
//
//   const Origins origins(kernel);
//   origins.of(i) & Origins::thread_y     the result differs between threads of different y
//   origins.address_parameters(store)     {0x10}: it writes through the pointer at this offset
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "read/program/kernel.h"

namespace burin::advise {

class Origins {
 public:
  using Mask = std::uint16_t;
  static constexpr Mask kThreadX = 1, kThreadY = 2, kThreadZ = 4;
  static constexpr Mask kBlock = 8;  // any of blockIdx
  static constexpr Mask kBlockX = 64, kBlockY = 128, kBlockZ = 256;
  static constexpr Mask kMemory = 16;  // something was loaded,
  static constexpr Mask kLoaded = 32;  // … and is not only what a condition tests

  explicit Origins(const read::Kernel& kernel);  // with dependences; must outlive it

  // Of all that the instruction reads, its guard and addresses too; what decides whether it is
  // reached at all does not count.
  Mask of(std::uint32_t instruction) const { return masks_[instruction]; }
  // … of all that its address is made from.
  Mask of_address(std::uint32_t instruction) const;
  // Offsets of the parameters that the address of a load or store is made from; values that were
  // loaded hide theirs.
  std::set<std::uint32_t> address_parameters(std::uint32_t instruction) const;

 private:
  const read::Kernel& kernel_;
  std::vector<Mask> masks_;
};

// Offsets of the parameters that are pointers through which the kernel stores.
std::set<std::uint32_t> written_parameters(const read::Kernel& kernel);

}  // namespace burin::advise
