#include "runtime/hooks/image_code.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/sha256.h"
#include "runtime/hooks/unpack_image.h"

namespace burin::runtime {
namespace {

constexpr std::uint32_t kElfMagic = 0x464c457f;
constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint16_t kCubinEntry = 2;
constexpr std::uint64_t kLz4Flag = 0x2000;
constexpr std::uint64_t kZstdFlag = 0x8000;
constexpr std::uint64_t kUnknownSize = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kElfHeaderBytes = 64;
constexpr std::uint64_t kFatbinHeaderBytes = 16;
constexpr std::uint64_t kEntryHeaderBytes = 64;
constexpr std::uint64_t kSectionHeaderBytes = 64;

template <typename T>
T value_at(const std::uint8_t* bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

struct Section {
  std::uint32_t name;  // where it begins among the names
  std::uint64_t offset;
  std::uint64_t size;
};

Section section_at(const std::uint8_t* headers, std::uint16_t index) {
  const std::uint8_t* header = headers + index * kSectionHeaderBytes;
  return {value_at<std::uint32_t>(header, 0), value_at<std::uint64_t>(header, 24),
          value_at<std::uint64_t>(header, 32)};
}

// `size` is kUnknownSize where only the cubin's own headers tell how long it is.
void read_cubin(const std::uint8_t* elf, std::uint64_t size, std::span<const std::string> kernels,
                ImageCode& code) {
  if (size < kElfHeaderBytes || value_at<std::uint32_t>(elf, 0) != kElfMagic) {
    code.complete = false;
    return;
  }
  const auto is_inside = [&](std::uint64_t at, std::uint64_t bytes) {
    return at <= size && bytes <= size - at;
  };
  const std::uint64_t offset = value_at<std::uint64_t>(elf, 40);
  const std::uint16_t header_bytes = value_at<std::uint16_t>(elf, 58);
  const std::uint16_t count = value_at<std::uint16_t>(elf, 60);
  const std::uint16_t names_index = value_at<std::uint16_t>(elf, 62);
  const bool is_64_bit = elf[4] == 2;
  if (!is_64_bit || header_bytes != kSectionHeaderBytes || names_index >= count ||
      !is_inside(offset, count * kSectionHeaderBytes)) {
    code.complete = false;
    return;
  }
  const std::uint8_t* headers = elf + offset;
  const Section names = section_at(headers, names_index);
  if (!is_inside(names.offset, names.size)) {
    code.complete = false;
    return;
  }
  constexpr std::string_view kPrefix = ".text.";
  for (std::uint16_t i = 0; i < count; ++i) {
    const Section section = section_at(headers, i);
    if (section.name >= names.size) continue;
    const auto* const name = reinterpret_cast<const char*>(elf + names.offset + section.name);
    const std::string_view text(name, strnlen(name, names.size - section.name));
    if (!text.starts_with(kPrefix)) continue;
    for (const std::string& kernel : kernels) {
      if (kernel != text.substr(kPrefix.size())) continue;
      if (is_inside(section.offset, section.size)) {
        code.hashes.emplace_back(kernel, sha256_hex(Bytes(elf + section.offset, section.size)));
      } else {
        code.complete = false;
      }
    }
  }
}

// A cubin as it stands in a fatbin.
void read_entry(const std::uint8_t* entry, Bytes payload, std::span<const std::string> kernels,
                ImageCode& code) {
  const auto flags = value_at<std::uint64_t>(entry, 40);
  if ((flags & (kLz4Flag | kZstdFlag)) == 0) {
    read_cubin(payload.data(), payload.size(), kernels, code);
    return;
  }
  const auto packed_bytes = value_at<std::uint32_t>(entry, 16);
  const auto raw_bytes = value_at<std::uint64_t>(entry, 56);
  std::vector<std::uint8_t> raw;
  if (packed_bytes > payload.size() || !((flags & kLz4Flag) != 0 ? unpack_lz4 : unpack_zstd)(
                                           payload.first(packed_bytes), raw_bytes, raw)) {
    code.complete = false;
    return;
  }
  read_cubin(raw.data(), raw.size(), kernels, code);
}

void read_fatbin(const std::uint8_t* fatbin, std::span<const std::string> kernels,
                 ImageCode& code) {
  std::uint64_t at = value_at<std::uint16_t>(fatbin, 6);
  const std::uint64_t end = at + value_at<std::uint64_t>(fatbin, 8);
  if (at < kFatbinHeaderBytes) code.complete = false;
  while (at >= kFatbinHeaderBytes && at + kEntryHeaderBytes <= end) {
    const std::uint8_t* entry = fatbin + at;
    const std::uint32_t header_bytes = value_at<std::uint32_t>(entry, 4);
    const std::uint64_t payload_bytes = value_at<std::uint64_t>(entry, 8);
    if (header_bytes < kEntryHeaderBytes || payload_bytes > end - at - header_bytes) {
      code.complete = false;
      return;
    }
    // PTX that the driver compiles has other code than any cubin: it needs no reading.
    if (value_at<std::uint16_t>(entry, 0) == kCubinEntry) {
      read_entry(entry, Bytes(entry + header_bytes, payload_bytes), kernels, code);
    }
    at += header_bytes + payload_bytes;
  }
}

}  // namespace

ImageCode read_image_code(const void* image, std::span<const std::string> kernels) {
  ImageCode code;
  if (image == nullptr || kernels.empty()) return {{}, false};
  const auto* bytes = static_cast<const std::uint8_t*>(image);
  // Text may end before four bytes do.
  for (std::size_t i = 0; i < 3; ++i) {
    if (bytes[i] == 0) return {{}, false};
  }
  std::uint32_t magic = value_at<std::uint32_t>(bytes, 0);
  if (magic == kWrapperMagic) {
    bytes = value_at<const std::uint8_t*>(bytes, 8);
    if (bytes == nullptr) return {{}, false};
    magic = value_at<std::uint32_t>(bytes, 0);
  }
  if (magic == kElfMagic) {
    read_cubin(bytes, kUnknownSize, kernels, code);
  } else if (magic == kFatbinMagic) {
    read_fatbin(bytes, kernels, code);
  } else {
    code.complete = false;
  }
  return code;
}

}  // namespace burin::runtime
