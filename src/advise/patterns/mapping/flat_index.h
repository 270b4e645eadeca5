// Kernels that number their threads consecutively and split the number i into two indices: i %
// width and i / width.
//
//   out[(i % w) * h + i / w]      flat_index(c, store): width w, pitch h
//
// Both follow from the traced addresses; source text and parameters need not be known.
#pragma once

#include <cstdint>
#include <optional>

#include "advise/case/case.h"

namespace burin::advise {

struct FlatIndex {
  std::uint64_t width = 0;
  std::uint64_t pitch = 0;

  bool operator==(const FlatIndex&) const = default;
};
// Set if every traced access has the element (i % width) * pitch + i / width of its array. Empty:
// there are three indices, or all traced threads are in the first row.
std::optional<FlatIndex> flat_index(const Case& c, std::uint32_t access);

}  // namespace burin::advise
