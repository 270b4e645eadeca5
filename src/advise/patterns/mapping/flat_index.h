// Kernels that number their threads consecutively and split the number i into two indices: i % width
// and i / width.
//
//   out[(i % w) * h + i / w]      flat_width(c, store, h): w
//
// The width follows from the traced addresses; source text and parameters need not be known.
#pragma once

#include <cstdint>
#include <optional>

#include "advise/case/case.h"

namespace burin::advise {

// The width with which every traced access has the index (i % width) * pitch + i / width in its
// array. Empty: none does, as with three indices, or all traced threads are in the first row.
std::optional<std::uint64_t> flat_width(const Case& c, std::uint32_t access, std::uint64_t pitch);

}  // namespace burin::advise
