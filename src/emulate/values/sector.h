// The sector: the unit of data transfer of caches and DRAM.
#pragma once

#include <cstdint>

namespace burin::emulate {

inline constexpr std::uint32_t kSectorBytes = 32;  // the same on every GPU that burin emulates

}  // namespace burin::emulate
