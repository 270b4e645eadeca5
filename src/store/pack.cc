#include "store/pack.h"

#include <zstd.h>

#include "base/format.h"

namespace burin::store {

namespace {

constexpr int kLevel = 3;  // a fast one: captures are written while somebody waits

}  // namespace

std::vector<std::uint8_t> pack(Bytes bytes) {
  std::vector<std::uint8_t> packed(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  packed.resize(size);  // the bound leaves no way to fail
  return packed;
}

Result<std::vector<std::uint8_t>> unpack(Bytes packed, std::uint64_t limit) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Error{"the compressed data is corrupt"};
  }
  if (size > limit) {
    return Error{
        fmt::format("the compressed data claims {} bytes; at most {} are allowed", size, limit)};
  }
  std::vector<std::uint8_t> bytes(size);
  const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != size) return Error{"the compressed data is corrupt"};
  return bytes;
}

}  // namespace burin::store
