// The format: APPNOTE.TXT of PKWARE, sections 4.3 and 4.5.3 (Zip64).
#include "read/binary/zip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "base/format.h"
#include "base/text.h"

namespace burin::read {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryHeader = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint32_t kDirectoryEnd64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::uint16_t kExtra64 = 1;
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kLocatorBytes = 20;
constexpr std::uint64_t kMaxComment = 65535;
// Deflate cannot shrink more than this.
constexpr std::uint64_t kMaxExpansion = 1032;

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

Error damaged(std::string_view what) {
  return Error{fmt::format("the zip file is damaged: {}", what)};
}

// The end of the directory is found from the back: a comment of any length may follow it.
std::optional<std::uint64_t> find_end(Bytes file) {
  if (file.size() < kEndBytes) return std::nullopt;
  const std::uint64_t last = file.size() - kEndBytes;
  const std::uint64_t first = last > kMaxComment ? last - kMaxComment : 0;
  for (std::uint64_t at = last + 1; at-- > first;) {
    Cursor in(file.subspan(at));
    if (in.u32() != kDirectoryEnd) continue;
    in.skip(16);
    if (in.u16() == last - at) return at;
  }
  return std::nullopt;
}

Result<Directory> find_directory(Bytes file) {
  const std::optional<std::uint64_t> end = find_end(file);
  if (!end) return damaged("it has no directory; is it whole?");
  Cursor in(file);
  in.seek(*end + 4);
  const std::uint16_t disk = in.u16();
  in.skip(6);
  Directory directory{};
  directory.size = in.u32();
  directory.offset = in.u32();
  if (*end >= kLocatorBytes) {
    Cursor locator(file.subspan(*end - kLocatorBytes));
    if (locator.u32() == kLocator64) {
      locator.skip(4);
      Cursor large(file);
      large.seek(locator.u64());
      if (large.u32() != kDirectoryEnd64)
        return damaged("its Zip64 directory is not where it says");
      large.skip(36);
      directory.size = large.u64();
      directory.offset = large.u64();
      if (!large.ok()) return damaged("its Zip64 directory is truncated");
      return directory;
    }
  }
  if (disk != 0) return Error{"is one part of a split zip file; join the parts first"};
  return directory;
}

// Sizes that do not fit in 32 bits are in an extra field, in this order.
void read_extra(Bytes extra, std::uint64_t& raw_size, std::uint64_t& size, std::uint64_t& offset) {
  Cursor in(extra);
  while (in.ok() && in.remaining() >= 4) {
    const std::uint16_t kind = in.u16();
    const std::uint16_t length = in.u16();
    Cursor field(in.bytes(length));
    if (kind != kExtra64) continue;
    for (std::uint64_t* value : {&raw_size, &size, &offset}) {
      if (*value == std::numeric_limits<std::uint32_t>::max()) *value = field.u64();
    }
    return;
  }
}

// The member's bytes begin after its local header, whose length only that header tells.
std::optional<Bytes> data_of(Bytes file, std::uint64_t offset, std::uint64_t size) {
  Cursor in(file);
  in.seek(offset);
  if (in.u32() != kLocalHeader) return std::nullopt;
  in.skip(22);
  const std::uint16_t name = in.u16();
  const std::uint16_t extra = in.u16();
  in.skip(std::uint64_t{name} + extra);
  const Bytes data = in.bytes(size);
  if (!in.ok()) return std::nullopt;
  return data;
}

struct InflateEnd {
  void operator()(z_stream* stream) const {
    inflateEnd(stream);
    delete stream;
  }
};

// Unpacks until the end or until `most` bytes are there. Memory grows with what was unpacked.
Result<std::vector<std::uint8_t>> inflate_bytes(Bytes data, std::uint64_t most, bool& ended) {
  auto made = std::make_unique<z_stream>();
  if (inflateInit2(made.get(), -MAX_WBITS) != Z_OK) {
    return Error{"not enough memory to unpack a member of the zip file"};
  }
  const std::unique_ptr<z_stream, InflateEnd> stream(made.release());
  std::vector<std::uint8_t> out(std::min<std::uint64_t>(most, 4 * data.size() + 4096));
  constexpr std::uint64_t kMaxStep = std::numeric_limits<uInt>::max();
  std::uint64_t taken = 0;
  std::uint64_t made_bytes = 0;
  ended = false;
  for (;;) {
    const auto in = static_cast<uInt>(std::min<std::uint64_t>(kMaxStep, data.size() - taken));
    const auto room = static_cast<uInt>(std::min<std::uint64_t>(kMaxStep, out.size() - made_bytes));
    stream->next_in = const_cast<Bytef*>(data.data() + taken);  // zlib only reads it
    stream->avail_in = in;
    stream->next_out = out.data() + made_bytes;
    stream->avail_out = room;
    const int status = inflate(stream.get(), Z_NO_FLUSH);
    taken += in - stream->avail_in;
    made_bytes += room - stream->avail_out;
    ended = status == Z_STREAM_END;
    if (ended) break;
    if (status != Z_OK && status != Z_BUF_ERROR) return damaged("a member does not unpack");
    if (made_bytes == out.size()) {
      if (made_bytes == most) break;
      out.resize(std::min<std::uint64_t>(most, 2 * out.size()));
    } else if (taken == data.size()) {
      break;
    }
  }
  out.resize(made_bytes);
  return out;
}

}  // namespace

bool is_zip(Bytes bytes) {
  const std::uint32_t magic = Cursor(bytes).u32();
  return magic == kLocalHeader || magic == kDirectoryEnd;
}

Result<std::vector<ZipMember>> read_zip(Bytes file) {
  const Result<Directory> directory = find_directory(file);
  if (!directory) return directory.error();
  const std::optional<Bytes> rows = slice(file, directory->offset, directory->size);
  if (!rows) return damaged("its directory is outside of the file");
  std::vector<ZipMember> members;
  Cursor in(*rows);
  while (!in.at_end()) {
    if (in.u32() != kDirectoryHeader) return damaged("its directory is unreadable");
    ZipMember member;
    in.skip(4);
    member.encrypted = (in.u16() & 1) != 0;
    const std::uint16_t method = in.u16();
    in.skip(4);
    member.crc32 = in.u32();
    std::uint64_t size = in.u32();
    member.raw_size = in.u32();
    const std::uint16_t name_bytes = in.u16();
    const std::uint16_t extra_bytes = in.u16();
    const std::uint16_t comment_bytes = in.u16();
    in.skip(8);
    std::uint64_t offset = in.u32();
    const Bytes name = in.bytes(name_bytes);
    read_extra(in.bytes(extra_bytes), member.raw_size, size, offset);
    in.skip(comment_bytes);
    if (!in.ok()) return damaged("its directory is truncated");
    member.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
    if (member.name.ends_with('/')) continue;
    member.packing = method == 0            ? ZipMember::Packing::kRaw
                     : method == Z_DEFLATED ? ZipMember::Packing::kDeflate
                                            : ZipMember::Packing::kOther;
    const std::optional<Bytes> data = data_of(file, offset, size);
    if (!data) return damaged("member " + member.name + " is not where the directory says");
    member.data = *data;
    members.push_back(std::move(member));
  }
  return members;
}

Result<std::vector<std::uint8_t>> unpack(const ZipMember& member, std::uint64_t limit) {
  if (member.encrypted) return Error{"is encrypted; unpack it first"};
  if (member.packing == ZipMember::Packing::kOther) {
    return Error{"is packed in another way than deflate; unpack it first"};
  }
  if (member.raw_size > limit) {
    return Error{fmt::format("announces {} unpacked; the limit is {}", human_bytes(member.raw_size),
                             human_bytes(limit))};
  }
  const Error wrong{"is damaged: it does not unpack to what the zip file's directory says"};
  std::vector<std::uint8_t> bytes;
  if (member.packing == ZipMember::Packing::kRaw) {
    bytes.assign(member.data.begin(), member.data.end());
  } else {
    if (member.raw_size / kMaxExpansion > member.data.size()) return wrong;
    bool ended = false;
    // One byte more than announced, to see that there is none.
    Result<std::vector<std::uint8_t>> made = inflate_bytes(member.data, member.raw_size + 1, ended);
    if (!made || !ended) return wrong;
    bytes = std::move(*made);
  }
  if (bytes.size() != member.raw_size) return wrong;
  if (crc32_z(0, bytes.data(), bytes.size()) != member.crc32) return wrong;
  return bytes;
}

std::vector<std::uint8_t> first_bytes(const ZipMember& member, std::size_t count) {
  if (member.encrypted || member.packing == ZipMember::Packing::kOther) return {};
  if (member.packing == ZipMember::Packing::kRaw) {
    const Bytes first = member.data.first(std::min<std::size_t>(count, member.data.size()));
    return {first.begin(), first.end()};
  }
  bool ended = false;
  const Bytes packed = member.data.first(std::min<std::size_t>(member.data.size(), 4096));
  Result<std::vector<std::uint8_t>> made = inflate_bytes(packed, count, ended);
  return made ? std::move(*made) : std::vector<std::uint8_t>{};
}

}  // namespace burin::read
