// Reads zip files, which Python wheels are: the list of members, and single members unpacked.
//
//   Result<std::vector<ZipMember>> members = read_zip(file);
//   Result<std::vector<std::uint8_t>> library = unpack(members->front());
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace burin::read {

struct ZipMember {
  enum class Packing : std::uint8_t { kRaw, kDeflate, kOther };

  std::string name;  // with its folders: "torch/lib/libtorch_cuda.so"
  Packing packing = Packing::kRaw;
  bool encrypted = false;
  Bytes data;                  // as stored
  std::uint64_t raw_size = 0;  // bytes when unpacked
  std::uint32_t crc32 = 0;     // of the unpacked bytes
};

bool is_zip(Bytes bytes);  // starts as zip files do

// The members, without folders, in the order of the file's directory. Returns an Error if the
// directory is damaged or split over several files.
Result<std::vector<ZipMember>> read_zip(Bytes bytes);

// The member's bytes. Returns an Error if it is encrypted, packed in another way than deflate,
// damaged, or has more than `limit` bytes.
Result<std::vector<std::uint8_t>> unpack(const ZipMember& member,
                                         std::uint64_t limit = std::uint64_t{1} << 33);

// At most the first `count` bytes of the member; fewer if they cannot be unpacked.
std::vector<std::uint8_t> first_bytes(const ZipMember& member, std::size_t count);

}  // namespace burin::read
