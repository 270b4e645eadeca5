// Texture fetches (TLD, TEX) of one and two dimensions. A fetch is a load of one texel: the one
// that the coordinates name, or for a filtered fetch the first of those that are weighted.
//
// Unfiltered texels of a linear texture are read from memory. Filtered values and those of arrays
// are Unknown. Where the launch does not describe the texture, its addresses are Unknown too.
#include "launch/texture.h"

#include <bit>
#include <cmath>

#include "emulate/access/access.h"
#include "emulate/state/block.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

// source[0]: the coordinates, source[1]: the handle. mode[4]: dimensions, mode[5]: coordinates are
// integers, mode[6]: registers written, mode[7]: registers written to destination[1].
constexpr std::size_t kDimensions = 4;
constexpr std::size_t kIntegers = 5;
constexpr std::size_t kResults = 6;
constexpr std::size_t kMoreResults = 7;

const launch::Texture* texture_of(const Warp& warp, const Op& op) {
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  if ((warp.unknown_of(op.source[1]) >> lane & 1) != 0) return nullptr;
  const std::uint32_t handle = warp.plain(op.source[1])[lane];
  for (const launch::Texture& texture : warp.block->grid->launch->textures) {
    if (static_cast<std::uint32_t>(texture.handle) == handle) return &texture;
  }
  return nullptr;
}

std::int64_t texel_at(std::uint32_t coordinate, bool integer, bool normalized, std::uint64_t size) {
  if (integer) return static_cast<std::int32_t>(coordinate);
  float place = std::bit_cast<float>(coordinate);
  if (normalized) place *= static_cast<float>(size);
  if (!(std::abs(place) < 1e9f)) return 0;
  return static_cast<std::int64_t>(std::floor(place));
}

void execute_fetch(Warp& warp, const Op& op) {
  const launch::Texture* texture = warp.exec == 0 ? nullptr : texture_of(warp, op);
  Access& access = warp.accesses[warp.access_count++];
  access.space = read::Space::kGlobal;
  access.load = true;
  access.store = false;
  access.atomic = false;
  access.bytes =
      texture == nullptr
          ? 4
          : static_cast<std::uint8_t>(std::bit_floor(std::min(16u, texture->texel_bytes)));
  access.lanes = warp.exec;
  access.unknown = warp.exec;
  if (texture != nullptr) {
    access.unknown = warp.unknown_of(op.source[0]) & warp.exec;
    if (op.mode[kDimensions] > 1) access.unknown |= warp.unknown_of(op.source[0], 1) & warp.exec;
    const bool integer = op.mode[kIntegers] != 0;
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const std::int64_t x =
          texel_at(warp.plain(op.source[0])[i], integer, texture->is_normalized, texture->width);
      const std::int64_t y = op.mode[kDimensions] < 2
                                 ? 0
                                 : texel_at(warp.plain(op.source[0], 1)[i], integer,
                                            texture->is_normalized, texture->height);
      access.address[i] = texture->address + launch::offset_of(*texture, x, y);
    }
  }
  if (op.idle) return;
  Lanes words[4]{};
  Loaded out{.words = words};
  const bool is_read = texture != nullptr && !texture->is_array && op.mode[kIntegers] != 0 &&
                       access.bytes == texture->texel_bytes &&
                       texture->texel_bytes == 4 * texture->channels;
  if (is_read) {
    read_lanes(warp, access, check_alignment(warp, access), out);
  } else {
    out.unknown.fill(kAllLanes);
  }
  const unsigned known = is_read ? access.bytes / 4u : 0;
  for (unsigned k = 0; k < op.mode[kResults]; ++k) {
    warp.set(slot_after(op.destination[0], k), words[std::min(k, 3u)],
             k < known ? out.unknown[k] : kAllLanes);
  }
  for (unsigned k = 0; k < op.mode[kMoreResults]; ++k) {
    warp.set(slot_after(op.destination[1], k), Lanes{}, kAllLanes);
  }
}

// [>P,] >R more results, >R results, R coordinates, [R level,] handle, dimension, I mask; the
// handle is a uniform register and an immediate, or the place of a word in a constant bank.
template <bool kByTexel>
bool lower_fetch(Lowering& l, const read::Instruction& i, Op& op) {
  std::string_view dimension;
  unsigned results = 0;
  bool has_coordinates = false;
  bool has_handle = false;
  std::vector<std::int64_t> numbers;  // before the dimension: a constant bank and a word of it
  for (const read::Operand& o : i.operands()) {
    if (o.kind == read::Operand::Kind::kWord) dimension = o.suffix;
    if (o.kind == read::Operand::Kind::kImmediate && dimension.empty()) numbers.push_back(o.value);
    if (o.is_register(read::RegisterFile::kPredicate) && o.index != read::kZeroRegister)
      return false;
    if (o.is_register(read::RegisterFile::kUniform)) {
      op.source[1] = l.source(o);
      has_handle = true;
    }
    if (!o.is_register(read::RegisterFile::kGeneral)) continue;
    if (o.written) {
      op.destination[results == 0 ? 1 : 0] = l.destination(o);
      op.mode[results == 0 ? kMoreResults : kResults] =
          o.index == read::kZeroRegister ? 0 : static_cast<std::uint8_t>(o.count);
      ++results;
    } else if (!has_coordinates) {
      op.source[0] = l.source(o);
      has_coordinates = true;
    }
  }
  if (!has_handle && numbers.size() == 2) {
    const ConstantMemory::Word handle = l.program().constants.word(
        static_cast<std::uint32_t>(numbers[0]), 4 * static_cast<std::uint64_t>(numbers[1]));
    if (handle.unknown) return false;
    op.source[1] = l.pooled({&handle.value, 1});
    has_handle = true;
  }
  op.mode[kDimensions] = dimension == "1D" ? 1 : dimension == "2D" ? 2 : 0;
  op.mode[kIntegers] = kByTexel;
  op.execute = execute_fetch;
  return op.mode[kDimensions] != 0 && has_handle && has_coordinates && results == 2;
}

}  // namespace

std::span<const LowerRow> texture_rows() {
  static constexpr LowerRow kRows[] = {{"TLD", lower_fetch<true>}, {"TEX", lower_fetch<false>}};
  return kRows;
}

}  // namespace burin::emulate
