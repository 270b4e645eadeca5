// Whether threads of a launch may read what others of them write, so that the order in which they
// run decides what they read.
//
//   const MemoryOrder order = memory_order(kernel, values, launch);
//   order.load, order.store      a[i] = a[i + 1]: the instructions
//
// Buffers are told apart by the pointer parameters that their addresses are computed from. A thread
// may read and write its own element: the same address registers, and offsets closer together than
// neighbouring threads' elements. Loads that the compiler knows to be read-only do not count.
#pragma once

#include <cstdint>

#include "analyze/reshape/thread_values.h"

namespace burin::analyze {

struct MemoryOrder {
  std::uint32_t load = read::kNoIndex;  // kNoIndex: no such pair
  std::uint32_t store = read::kNoIndex;
};
MemoryOrder memory_order(const read::Kernel& kernel, const ThreadValues& values,
                         const launch::Launch& launch);

}  // namespace burin::analyze
