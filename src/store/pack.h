// Bytes made small for a database, and back.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace burin::store {

std::vector<std::uint8_t> pack(Bytes bytes);

// An Error where the packed bytes are damaged, or unpack to more than `limit`: a small file must
// not be able to fill the memory.
Result<std::vector<std::uint8_t>> unpack(Bytes packed, std::uint64_t limit);

}  // namespace burin::store
