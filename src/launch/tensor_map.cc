// The layout of the 128 bytes was determined by experiment: cuTensorMapEncodeTiled was called on an
// H200 (driver 580, CUDA 13.0) with every parameter varied, and this encoding gives the same bytes
// for all of them. As 32-bit words, lowest byte first:
//
//   0 1     address
//   2       bit 0: im2col   4-6: rank - 1   7-10: type   11-12: interleave   13-14: swizzle
//           15: NaN fill   16: round to TF32   17-18: L2 promotion
//   3-6     strides / 16, their low 32 bits
//   7       the next 4 bits of each
//   8-12    sizes - 1
//   13      steps - 1, 3 bits each   24-31: box 0 - 1
//   14      boxes 1 to 4, each - 1, 8 bits each
//   16      bytes of a box      18  alignment of its place in shared memory
//
// Of an im2col map with 5 dimensions, as cuDNN makes them (seen in version 9):
//
//   13      24-31: channels of a pixel - 1
//   14      position of the first pixel, 5 bits for each of three dimensions   16: of the last,
//           minus the tensor's last
//   15      pixels of a copy - 1
//
// The last two say nothing new, and the rest is zero. cuBLAS makes maps of its own, which are the
// first 64 bytes with bit 1 of word 2 set (seen in version 13.0).
#include "launch/tensor_map.h"

#include <cassert>

#include "base/bytes.h"
#include "base/format.h"

namespace burin::launch {

namespace {

// The descriptor's own numbering of types; the TF32 ones are FP32 with a bit of their own.
struct TypeCode {
  std::uint32_t code;
  bool tf32 = false;
};
constexpr TypeCode kTypeCodes[] = {
    // by TensorType
    {0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {9}, {10}, {8}, {7, true}, {8, true},
};

constexpr std::uint32_t kPixelMap = 1;  // in word 2

// The low 5 bits, as a number from -16 to 15.
std::int32_t signed_bits(std::uint32_t bits) {
  return static_cast<std::int32_t>((bits & 31) ^ 16) - 16;
}

std::uint32_t alignment(TensorSwizzle swizzle) {
  return swizzle == TensorSwizzle::kNone ? 16 : 128u << static_cast<unsigned>(swizzle);
}

// As the driver computes it: a step that does not divide the box is rounded down.
std::uint32_t box_bytes(const TensorMap& map) {
  std::uint32_t bytes = element_bytes(map.type);
  for (unsigned k = 0; k < map.rank; ++k) bytes *= map.box[k] / map.step[k];
  return bytes;
}

}  // namespace

std::uint64_t span_bytes(const TensorMap& map) {
  std::uint64_t bytes = map.size[0] * element_bytes(map.type);
  for (unsigned k = 1; k < map.rank; ++k) bytes += (map.size[k] - 1) * map.stride[k];
  return bytes;
}

std::array<std::uint8_t, kTensorMapBytes> encode(const TensorMap& map) {
  assert(map.rank >= 1 && map.rank <= kMaxTensorDimensions);
  std::array<std::uint32_t, kTensorMapBytes / 4> word{};
  const TypeCode type = kTypeCodes[static_cast<std::size_t>(map.type)];
  word[0] = static_cast<std::uint32_t>(map.address);
  word[1] = static_cast<std::uint32_t>(map.address >> 32);
  word[2] = (map.rank - 1) << 4 | type.code << 7 |
            static_cast<std::uint32_t>(map.interleave) << 11 |
            static_cast<std::uint32_t>(map.swizzle) << 13 | (map.fill_nan ? 1u << 15 : 0) |
            (type.tf32 ? 1u << 16 : 0) | static_cast<std::uint32_t>(map.promotion) << 17;
  for (unsigned k = 0; k < map.rank; ++k) {
    word[8 + k] = static_cast<std::uint32_t>(map.size[k] - 1);
    word[13] |= (map.step[k] - 1) << (3 * k);
    if (k == 0) continue;
    word[2 + k] = static_cast<std::uint32_t>(map.stride[k] >> 4);
    word[7] |= static_cast<std::uint32_t>(map.stride[k] >> 36) << (4 * (k - 1));
    if (!map.pixels) word[14] |= (map.box[k] - 1) << (8 * (k - 1));
  }
  word[13] |= (map.box[0] - 1) << 24;
  word[16] = box_bytes(map);
  if (map.pixels) {
    word[2] |= kPixelMap;
    for (unsigned k = 0; k < 3; ++k) {
      word[14] |= (static_cast<std::uint32_t>(map.pixels->lower[k]) & 31) << (5 * k);
      word[14] |= (static_cast<std::uint32_t>(map.pixels->upper[k]) & 31) << (16 + 5 * k);
    }
    word[15] = map.pixels->pixels - 1;
    word[16] *= map.pixels->pixels;
  }
  word[18] = alignment(map.swizzle);
  std::array<std::uint8_t, kTensorMapBytes> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(word[i / 4] >> (8 * (i % 4)));
  }
  return bytes;
}

Result<TensorMap> decode_tensor_map(std::span<const std::uint8_t, kTensorMapBytes> bytes) {
  std::array<std::uint32_t, kTensorMapBytes / 4> word;
  Cursor in(bytes);
  for (std::uint32_t& w : word) w = in.u32();
  TensorMap map;
  map.address = word[0] | std::uint64_t{word[1]} << 32;
  map.rank = (word[2] >> 4 & 7) + 1;
  const TypeCode code{word[2] >> 7 & 15, (word[2] >> 16 & 1) != 0};
  std::size_t type = 0;
  while (type < std::size(kTypeCodes) &&
         (kTypeCodes[type].code != code.code || kTypeCodes[type].tf32 != code.tf32)) {
    ++type;
  }
  const std::uint32_t interleave = word[2] >> 11 & 3;
  if (map.rank > kMaxTensorDimensions || type == std::size(kTypeCodes) || interleave == 3 ||
      (word[2] & 0xfff8000c) != 0) {
    return Error{fmt::format("no tensor map has {:#x} in its third word", word[2])};
  }
  map.type = static_cast<TensorType>(type);
  map.interleave = static_cast<TensorInterleave>(interleave);
  map.swizzle = static_cast<TensorSwizzle>(word[2] >> 13 & 3);
  map.promotion = static_cast<TensorPromotion>(word[2] >> 17 & 3);
  map.fill_nan = (word[2] >> 15 & 1) != 0;
  for (unsigned k = 0; k < map.rank; ++k) {
    map.size[k] = std::uint64_t{word[8 + k]} + 1;
    map.step[k] = (word[13] >> (3 * k) & 7) + 1;
    if (k == 0) continue;
    map.stride[k] = (word[2 + k] | std::uint64_t{word[7] >> (4 * (k - 1)) & 15} << 32) << 4;
    if ((word[2] & kPixelMap) == 0) map.box[k] = (word[14] >> (8 * (k - 1)) & 0xff) + 1;
  }
  map.box[0] = (word[13] >> 24) + 1;
  if ((word[2] & kPixelMap) == 0) return map;
  if (map.rank != kMaxTensorDimensions) {
    return Error{fmt::format("im2col tensor maps with {} dimensions are not supported", map.rank)};
  }
  PixelRange& pixels = map.pixels.emplace();
  for (unsigned k = 0; k < 3; ++k) {
    pixels.lower[k] = signed_bits(word[14] >> (5 * k));
    pixels.upper[k] = signed_bits(word[14] >> (16 + 5 * k));
  }
  pixels.pixels = (word[15] & 0x3ff) + 1;
  return map;
}

}  // namespace burin::launch
