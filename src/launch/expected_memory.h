// What the GPU's memory should hold after a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace burin::launch {

// Bytes in a row from `address` on.
struct MemoryPiece {
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
};

// What an allocation held after the launch, as far as that was recorded.
struct ExpectedMemory {
  std::size_t argument = 0;         // that points into it; the number of arguments where none does
  std::vector<MemoryPiece> pieces;  // in the order of their addresses
};

}  // namespace burin::launch
