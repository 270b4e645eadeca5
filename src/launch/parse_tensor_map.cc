#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"
#include "launch/tensor_map.h"

namespace burin::launch {

namespace {

struct TypeName {
  std::string_view name;
  unsigned bytes;
};
constexpr TypeName kElementTypes[] = {
    // by TensorType
    {"u8", 1},  {"u16", 2}, {"u32", 4},  {"i32", 4},    {"u64", 8},  {"i64", 8},     {"f16", 2},
    {"f32", 4}, {"f64", 8}, {"bf16", 2}, {"f32ftz", 4}, {"tf32", 4}, {"tf32ftz", 4},
};

constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxStride = std::uint64_t{1} << 40;
constexpr std::uint32_t kMaxBox = 256;
constexpr std::uint32_t kMaxStep = 8;

Error wrong_map(std::string message) {
  return {std::move(message), Exit::kUsage};
}

constexpr std::string_view kForm =
    "expected map:I:TYPE:SIZES:BOX, such as map:0:f16:1024x512:64x64:swizzle=128";

// "1024x512": one number for each dimension from `first` on, each from `least` to `most`.
template <typename T>
Result<unsigned> parse_list(std::string_view text, std::string_view what, unsigned first,
                            std::uint64_t least, std::uint64_t most,
                            std::array<T, kMaxTensorDimensions>& out) {
  const std::vector<std::string_view> parts = split(text, 'x');
  if (parts.size() + first > kMaxTensorDimensions) {
    return wrong_map(
        fmt::format("{} numbers in {}; a tensor has at most 5 dimensions", parts.size(), what));
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::optional<std::uint64_t> value = parse_bytes(parts[k]);
    if (!value || *value < least || *value > most) {
      return wrong_map(
          fmt::format("'{}' in {} is not a number from {} to {}", parts[k], what, least, most));
    }
    out[first + k] = static_cast<T>(*value);
  }
  return static_cast<unsigned>(parts.size()) + first;
}

Result<void> same_rank(Result<unsigned> found, std::string_view what, const TensorMap& map) {
  if (!found) return found.error();
  if (*found == map.rank) return {};
  return wrong_map(
      fmt::format("{} must be given for each of the {}", what, count_of(map.rank, "dimension")));
}

// The index of `text` among the choices; choice 0 cannot be written.
template <typename E, std::size_t N>
Result<E> parse_choice(std::string_view text, std::string_view what,
                       const std::string_view (&choices)[N]) {
  const auto found = std::ranges::find(choices, text);
  if (found == std::end(choices)) {
    return wrong_map(fmt::format("{}={} is not one of {}", what, text,
                                 fmt::join(std::begin(choices), std::end(choices), ", ")));
  }
  return static_cast<E>(found - std::begin(choices) + 1);
}

template <typename E>
Result<void> assign(E& to, Result<E> from) {
  if (!from) return from.error();
  to = *from;
  return {};
}

Result<void> parse_option(std::string_view text, TensorMap& map) {
  static constexpr std::string_view kSwizzles[] = {"32", "64", "128"};
  static constexpr std::string_view kInterleaves[] = {"16", "32"};
  static constexpr std::string_view kPromotions[] = {"64", "128", "256"};
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  if (name == "stride") {
    return same_rank(parse_list(value, name, 1, 16, kMaxStride - 16, map.stride), name, map);
  }
  if (name == "step") {
    return same_rank(parse_list(value, name, 0, 1, kMaxStep, map.step), name, map);
  }
  if (name == "swizzle") {
    return assign(map.swizzle, parse_choice<TensorSwizzle>(value, name, kSwizzles));
  }
  if (name == "interleave") {
    return assign(map.interleave, parse_choice<TensorInterleave>(value, name, kInterleaves));
  }
  if (name == "l2") {
    return assign(map.promotion, parse_choice<TensorPromotion>(value, name, kPromotions));
  }
  if (text == "fill=nan") {
    map.fill_nan = true;
    return {};
  }
  return wrong_map(fmt::format(
      "unknown option '{}'; a map takes stride=, step=, swizzle=, interleave=, l2= and fill=nan",
      text));
}

Result<void> fill_strides(TensorMap& map) {
  for (unsigned k = 1; k < map.rank; ++k) {
    const std::optional<std::uint64_t> dense =
        checked_mul(map.size[k - 1], k == 1 ? element_bytes(map.type) : map.stride[k - 1]);
    if (!dense || *dense >= kMaxStride) return wrong_map("the strides must be below 2^40 bytes");
    map.stride[k] = *dense;
  }
  return {};
}

// Checks the limits of the driver in advance.
Result<void> check(const TensorMap& map) {
  if (map.fill_nan && map.type < TensorType::kF16) {
    return wrong_map("fill=nan is for floating-point types");
  }
  const std::uint64_t granule = map.interleave == TensorInterleave::k32 ? 32 : 16;
  for (unsigned k = 1; k < map.rank; ++k) {
    if (map.stride[k] % granule != 0) {
      return wrong_map(
          fmt::format("the stride of dimension {} is {} bytes; it must be a multiple of {}", k,
                      map.stride[k], granule));
    }
  }
  const std::uint64_t inner = std::uint64_t{map.box[0]} * element_bytes(map.type);
  if (map.interleave == TensorInterleave::kNone) {
    if (inner % 16 != 0) {
      return wrong_map(fmt::format("the box is {} bytes wide; it must be a multiple of 16", inner));
    }
    const std::uint64_t swizzle =
        map.swizzle == TensorSwizzle::kNone ? 0 : 16u << static_cast<unsigned>(map.swizzle);
    if (swizzle != 0 && inner > swizzle) {
      return wrong_map(fmt::format("the box is {} bytes wide; with swizzle={} the limit is {}",
                                   inner, swizzle, swizzle));
    }
    return {};
  }
  if (map.rank < 3) return wrong_map("an interleaved tensor needs at least 3 dimensions");
  if (map.interleave == TensorInterleave::k32 && map.swizzle != TensorSwizzle::k32) {
    return wrong_map("interleave=32 needs swizzle=32");
  }
  return {};
}

}  // namespace

unsigned element_bytes(TensorType type) {
  return kElementTypes[static_cast<std::size_t>(type)].bytes;
}

std::string_view name(TensorType type) {
  return kElementTypes[static_cast<std::size_t>(type)].name;
}

Result<TensorMap> parse_tensor_map(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 4) return wrong_map(std::string(kForm));
  TensorMap map;
  const std::optional<std::size_t> argument = parse_integer<std::size_t>(parts[0]);
  if (!argument)
    return wrong_map(fmt::format("{}; '{}' is not an argument number", kForm, parts[0]));
  map.argument = *argument;
  const auto type = std::ranges::find(kElementTypes, parts[1], &TypeName::name);
  if (type == std::end(kElementTypes)) {
    std::vector<std::string> names;
    for (const TypeName& t : kElementTypes) names.emplace_back(t.name);
    return wrong_map(fmt::format("unknown element type {}; the types are {}", parts[1],
                                 list_of(names, names.size())));
  }
  map.type = static_cast<TensorType>(type - std::begin(kElementTypes));
  const Result<unsigned> rank = parse_list(parts[2], "the sizes", 0, 1, kMaxSize, map.size);
  if (!rank) return rank.error();
  map.rank = *rank;
  const Result<void> box =
      same_rank(parse_list(parts[3], "the box", 0, 1, kMaxBox, map.box), "the box", map);
  if (!box) return box.error();
  if (const Result<void> dense = fill_strides(map); !dense) return dense.error();
  for (std::size_t k = 4; k < parts.size(); ++k) {
    if (const Result<void> option = parse_option(parts[k], map); !option) return option.error();
  }
  if (const Result<void> fits = check(map); !fits) return fits.error();
  return map;
}

}  // namespace burin::launch
