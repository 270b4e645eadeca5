// Decompression of fatbin entries. Sizes are claims until the bytes are there: memory grows only
// with what has really been decompressed.
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "read/binary/container.h"

namespace burin::read {
namespace {

using Buffer = std::vector<std::uint8_t>;

Error wrong_size(std::uint64_t claimed) {
  return Error{fmt::format(
      "the compressed image is corrupt: it does not decompress to the {} bytes announced",
      claimed)};
}

Result<Buffer> unpack_zstd(const Entry& entry) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  if (context == nullptr) return Error{"not enough memory to decompress the image"};
  ZSTD_inBuffer in{entry.data.data(), entry.data.size(), 0};
  Buffer out(std::min<std::uint64_t>(entry.raw_size, 8 * entry.data.size() + 65536));
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  for (;;) {
    const std::size_t status = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(status))
      return Error{fmt::format("the compressed image is corrupt: zstd reports {}",
                               ZSTD_getErrorName(status))};
    if (status == 0) break;  // the frame has ended
    if (to.pos == to.size) {
      if (out.size() == entry.raw_size) return wrong_size(entry.raw_size);
      out.resize(std::min<std::uint64_t>(entry.raw_size, 2 * out.size()));
      to.dst = out.data();
      to.size = out.size();
    } else if (in.pos == in.size) {
      return Error{"the compressed image is truncated"};
    }
  }
  if (to.pos != entry.raw_size) return wrong_size(entry.raw_size);
  out.resize(to.pos);
  return out;
}

Result<Buffer> unpack_lz4(const Entry& entry) {
  constexpr std::uint64_t kMaxExpansion = 255;  // of the format itself
  constexpr std::uint64_t kMax = std::numeric_limits<int>::max();
  if (entry.data.size() > kMax || entry.raw_size > kMax ||
      entry.raw_size > entry.data.size() * kMaxExpansion)
    return wrong_size(entry.raw_size);
  Buffer out(entry.raw_size);
  const int written = LZ4_decompress_safe(
      reinterpret_cast<const char*>(entry.data.data()), reinterpret_cast<char*>(out.data()),
      static_cast<int>(entry.data.size()), static_cast<int>(out.size()));
  if (written < 0 || static_cast<std::uint64_t>(written) != entry.raw_size)
    return wrong_size(entry.raw_size);
  return out;
}

}  // namespace

Result<Buffer> unpack(const Entry& entry, std::uint64_t limit) {
  if (entry.raw_size > limit)
    return Error{fmt::format("the image announces {} decompressed; the limit is {}",
                             human_bytes(entry.raw_size), human_bytes(limit))};
  switch (entry.packing) {
    case Entry::Packing::kZstd:
      return unpack_zstd(entry);
    case Entry::Packing::kLz4:
      return unpack_lz4(entry);
    case Entry::Packing::kRaw:
      break;
  }
  return Buffer(entry.data.begin(), entry.data.end());
}

Result<Image> load(const Entry& entry) {
  if (entry.kind != Entry::Kind::kCubin) return Error{"is PTX or LTO-IR, not machine code"};
  if (entry.packing == Entry::Packing::kRaw) return read_cubin(entry.data, entry.arch);
  Result<Buffer> bytes = unpack(entry);
  if (!bytes) return bytes.error();
  const auto storage = std::make_shared<const Buffer>(std::move(*bytes));
  Result<Image> image = read_cubin(*storage, entry.arch);
  if (image) image->storage = storage;
  return image;
}

}  // namespace burin::read
