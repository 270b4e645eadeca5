// The expected contents of GPU memory after a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace burin::launch {

// Contiguous bytes starting at `address`.
struct MemoryPiece {
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
};

// The contents of an allocation after the launch, as far as they were recorded.
struct ExpectedMemory {
  // Argument that points into the allocation; the number of arguments if none does.
  std::size_t argument = 0;
  std::vector<MemoryPiece> pieces;  // sorted by address
};

}  // namespace burin::launch
