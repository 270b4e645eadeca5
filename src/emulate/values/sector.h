// The sector: the unit in which caches and DRAM move data.
#pragma once

#include <cstdint>

namespace burin::emulate {

inline constexpr std::uint32_t kSectorBytes = 32;  // the same on every GPU that burin emulates

}  // namespace burin::emulate
