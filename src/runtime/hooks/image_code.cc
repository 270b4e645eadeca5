#include "runtime/hooks/image_code.h"

#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "base/sha256.h"

namespace burin::runtime {
namespace {

constexpr std::uint32_t kElfMagic = 0x464c457f;
constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint16_t kCubinEntry = 2;
constexpr std::uint64_t kCompressedFlags = 0x2000 | 0x8000;  // LZ4, zstd
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
  const char* name;
  const std::uint8_t* bytes;
  std::uint64_t size;
};

Section section_at(const std::uint8_t* elf, const std::uint8_t* headers, const char* names,
                   std::uint16_t index) {
  const std::uint8_t* header = headers + index * kSectionHeaderBytes;
  return {names == nullptr ? nullptr : names + value_at<std::uint32_t>(header, 0),
          elf + value_at<std::uint64_t>(header, 24), value_at<std::uint64_t>(header, 32)};
}

void read_cubin(const std::uint8_t* elf, std::span<const std::string> kernels, ImageCode& code) {
  const std::uint64_t offset = value_at<std::uint64_t>(elf, 40);
  const std::uint16_t header_bytes = value_at<std::uint16_t>(elf, 58);
  const std::uint16_t count = value_at<std::uint16_t>(elf, 60);
  const std::uint16_t names_index = value_at<std::uint16_t>(elf, 62);
  const bool is_64_bit = elf[4] == 2;
  if (!is_64_bit || header_bytes != kSectionHeaderBytes || names_index >= count) {
    code.complete = false;
    return;
  }
  const std::uint8_t* headers = elf + offset;
  const auto* names =
      reinterpret_cast<const char*>(section_at(elf, headers, nullptr, names_index).bytes);
  for (std::uint16_t i = 0; i < count; ++i) {
    const Section section = section_at(elf, headers, names, i);
    if (std::strncmp(section.name, ".text.", 6) != 0) continue;
    for (const std::string& kernel : kernels) {
      if (kernel != section.name + 6) continue;
      code.hashes.emplace_back(kernel, sha256_hex(Bytes(section.bytes, section.size)));
    }
  }
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
    const std::uint8_t* payload = entry + header_bytes;
    const bool compressed = (value_at<std::uint64_t>(entry, 40) & kCompressedFlags) != 0;
    // PTX that the driver compiles has other code than any cubin: it needs no reading.
    if (value_at<std::uint16_t>(entry, 0) == kCubinEntry) {
      if (!compressed && value_at<std::uint32_t>(payload, 0) == kElfMagic) {
        read_cubin(payload, kernels, code);
      } else {
        code.complete = false;
      }
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
    read_cubin(bytes, kernels, code);
  } else if (magic == kFatbinMagic) {
    read_fatbin(bytes, kernels, code);
  } else {
    code.complete = false;
  }
  return code;
}

}  // namespace burin::runtime
