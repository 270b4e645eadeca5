// Compressed entries of fatbins, which nvcc makes by default. The launch library brings nothing
// along for it: LZ4 is decoded here, and zstd by the system's libzstd.so.1 where there is one.
//
//   std::vector<std::uint8_t> cubin;
//   if (unpack_zstd(packed, raw_bytes, cubin)) …     false: damaged, or no zstd on this system
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace burin::runtime {

// Larger ones are not unpacked.
inline constexpr std::uint64_t kMaxUnpackedBytes = 1u << 30;

// `raw_bytes`: what it must unpack to.
bool unpack_lz4(Bytes packed, std::uint64_t raw_bytes, std::vector<std::uint8_t>& raw);
bool unpack_zstd(Bytes packed, std::uint64_t raw_bytes, std::vector<std::uint8_t>& raw);

}  // namespace burin::runtime
