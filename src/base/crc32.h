// The checksum of zlib and PNG (CRC-32, polynomial 0xEDB88320), eight bytes at a time.
//
// Not taken from zlib: the recorder computes it inside other programs, which may bring a zlib of
// their own, of any version. It must neither load a library there nor resolve to theirs.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace burin {

// `before` is the checksum of the bytes that stand before these.
std::uint32_t crc32(Bytes bytes, std::uint32_t before = 0);

}  // namespace burin
