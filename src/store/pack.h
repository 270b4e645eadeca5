// Compresses bytes for storage in a database, and decompresses them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace burin::store {

std::vector<std::uint8_t> pack(Bytes bytes);

// Decompresses `packed`. Returns an Error if the data is damaged or decompresses to more than
// `limit` bytes, so that a small file cannot exhaust memory.
Result<std::vector<std::uint8_t>> unpack(Bytes packed, std::uint64_t limit);

}  // namespace burin::store
