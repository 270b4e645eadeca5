// CRC-32 as in zlib and PNG (polynomial 0xEDB88320), computed eight bytes at a time.
//
// zlib is not used because the recorder computes this inside other programs, which may have loaded
// any version of zlib themselves. The recorder must neither load a library there nor bind to
// theirs.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace burin {

// The checksum of `bytes`. `before` is the checksum of the preceding bytes; 0 at the start.
std::uint32_t crc32(Bytes bytes, std::uint32_t before = 0);

}  // namespace burin
