// A tensor map: describes to the tensor memory accelerator (TMA, sm_90) a buffer as an array of one
// to five dimensions, and the box that one copy moves. A kernel takes it as a parameter of 128
// opaque bytes (`const __grid_constant__ CUtensorMap`).
//
//   map:0:f16:1024x512:64x128:swizzle=128
//
// is the buffer of argument 0 as 512 rows of 1024 halves, copied in boxes of 128 rows by 64
// columns, with a 128-byte swizzle that spreads the bytes over the banks of shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::launch {

// The values of the four enums are those of CUtensorMapDataType, …Interleave, …Swizzle and
// …L2promotion.
enum class TensorType : std::uint8_t {
  kU8,
  kU16,
  kU32,
  kI32,
  kU64,
  kI64,
  kF16,
  kF32,
  kF64,
  kBf16,
  kF32Ftz,
  kTf32,
  kTf32Ftz,
};
enum class TensorInterleave : std::uint8_t { kNone, k16, k32 };        // bytes
enum class TensorSwizzle : std::uint8_t { kNone, k32, k64, k128 };     // bytes
enum class TensorPromotion : std::uint8_t { kNone, k64, k128, k256 };  // bytes fetched into L2

inline constexpr unsigned kMaxTensorDimensions = 5;
inline constexpr std::size_t kTensorMapBytes = 128;

// A map for copies of pixels (im2col), as convolutions use them: not a box, but so many pixels one
// after another, row by row of the range that a filter's first weight passes over.
struct PixelRange {
  std::array<std::int32_t, 3> lower{};  // first position, by dimension from 1 on
  std::array<std::int32_t, 3> upper{};  // last position, minus the last of the tensor
  std::uint32_t pixels = 1;             // pixels of one copy

  bool operator==(const PixelRange&) const = default;
};

struct TensorMap {
  std::size_t argument = 0;   // argument whose buffer it describes, from 0
  std::uint64_t address = 0;  // address of the first element, once the buffer has one
  TensorType type = TensorType::kU8;
  std::uint32_t rank = 1;
  // Innermost dimension first; entries beyond `rank` are 1 (sizes, box, step) or 0 (strides).
  std::array<std::uint64_t, kMaxTensorDimensions> size{1, 1, 1, 1, 1};  // elements, at most 2^32
  std::array<std::uint64_t, kMaxTensorDimensions> stride{};  // bytes; not used for dimension 0
  std::array<std::uint32_t, kMaxTensorDimensions> box{1, 1, 1, 1, 1};   // elements, at most 256
  std::array<std::uint32_t, kMaxTensorDimensions> step{1, 1, 1, 1, 1};  // every step-th, at most 8
  TensorInterleave interleave = TensorInterleave::kNone;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorPromotion promotion = TensorPromotion::kNone;
  bool fill_nan = false;               // elements outside of the tensor read as NaN instead of 0
  std::optional<PixelRange> pixels{};  // `box` is then the channels of one pixel

  bool operator==(const TensorMap&) const = default;
};

unsigned element_bytes(TensorType type);
std::string_view name(TensorType type);  // "bf16"

// Returns the bytes from the start of the first to the end of the last element.
std::uint64_t span_bytes(const TensorMap& map);

// Parses the text after "map:" on the command line:
//   I:TYPE:D0[xD1…]:B0[xB1…][:stride=S1[xS2…]][:step=E0[xE1…]][:swizzle=32|64|128]
//   [:interleave=16|32][:l2=64|128|256][:fill=nan]
// Returns an Error (usage error) for whatever cuTensorMapEncodeTiled would also reject.
Result<TensorMap> parse_tensor_map(std::string_view text);

// Convert to and from the 128 bytes that the driver makes. Decoding returns an Error if the bytes
// are not a tensor map, or are of a kind that burin does not support; the Error says
// which.
std::array<std::uint8_t, kTensorMapBytes> encode(const TensorMap& map);
Result<TensorMap> decode_tensor_map(std::span<const std::uint8_t, kTensorMapBytes> bytes);

}  // namespace burin::launch
