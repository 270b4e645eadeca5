#include "tune/formats/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "base/format.h"

namespace burin::tune {
namespace {

struct Inflater {
  Inflater() {
    constexpr int kGzipWindow = 15 + 16;  // the largest window, in a gzip wrapper
    ready = ::inflateInit2(&stream, kGzipWindow) == Z_OK;
  }
  ~Inflater() {
    if (ready) ::inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
  bool ready = false;
};

}  // namespace

bool is_gzip(Bytes bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

Result<std::string> unpack_gzip(Bytes bytes, std::size_t max_size) {
  Inflater inflater;
  if (!inflater.ready) return Error{"cannot be unpacked: zlib has no memory"};
  constexpr std::size_t kMaxInput = std::size_t{1} << 30;  // zlib counts in 32 bits
  constexpr std::size_t kStep = std::size_t{1} << 20;

  std::string text;
  z_stream& stream = inflater.stream;
  std::size_t position = 0;
  std::size_t size = 0;
  while (true) {
    if (stream.avail_in == 0) {
      const std::size_t count = std::min(kMaxInput, bytes.size() - position);
      stream.next_in = const_cast<Bytef*>(bytes.data() + position);
      stream.avail_in = static_cast<uInt>(count);
      position += count;
    }
    text.resize(size + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    stream.avail_out = static_cast<uInt>(kStep);
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    size += kStep - stream.avail_out;
    if (size > max_size) {
      return Error{fmt::format("unpacks to more than {} MiB", max_size >> 20)};
    }
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0 && position == bytes.size()) break;
      ::inflateReset(&stream);  // another member follows
      continue;
    }
    if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_out != 0 && stream.avail_in == 0 &&
                                  position == bytes.size())) {
      return Error{"ends too early: its compressed data are cut short"};
    }
    if (status != Z_OK) {
      return Error{fmt::format("is damaged: its compressed data are wrong near byte {}",
                               position - stream.avail_in)};
    }
  }
  text.resize(size);
  return text;
}

}  // namespace burin::tune
