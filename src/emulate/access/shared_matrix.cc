#include "emulate/access/shared_matrix.h"

#include <cstring>

#include "emulate/access/shared_rows.h"

namespace burin::emulate {

namespace {

constexpr std::uint32_t kRow = 16;                      // bytes
constexpr std::uint32_t kWidths[] = {16, 128, 64, 32};  // by the descriptor's mode

}  // namespace

MatrixDescriptor read_descriptor(std::uint32_t low, std::uint32_t high) {
  constexpr std::uint32_t kField = 0x3fff;  // in units of 16 bytes
  return {.start = (low & kField) * 16,
          .leading = (low >> 16 & kField) * 16,
          .stride = (high & kField) * 16,
          .base_offset = high >> 17 & 7,
          .width = kWidths[high >> 30]};
}

std::uint32_t MatrixDescriptor::address(unsigned line, unsigned along, bool transposed) const {
  std::uint32_t at = start;
  if (transposed) {
    const unsigned byte = 2 * line;
    const bool plain = width == kRow;
    at += byte / width * (plain ? stride : leading) + along / 8 * (plain ? leading : stride) +
          along % 8 * width + byte % width;
  } else if (width == kRow) {
    at += along / kRow * leading + line / 8 * stride + line % 8 * kRow + along % kRow;
  } else {
    at += line / 8 * stride + line % 8 * width + along;
  }
  const std::uint32_t swizzle = ((at >> 7) - base_offset) & (width / kRow - 1);
  return at ^ swizzle << 4;
}

void load_fragment(Warp& warp, const MatrixDescriptor& matrix, unsigned first, bool tall,
                   bool transposed, unsigned bytes, LoadedFragment& out) {
  Fragment& f = out.fragment;
  f = {.words = {}, .registers = (tall ? 2 : 1) * bytes / kRow};
  for (unsigned r = 0; r < f.registers; ++r) f.words[r] = &out.storage[r];
  const unsigned groups = tall ? 2 : 1;  // of eight lines
  Datum d;
  for (unsigned group = 0; group < groups; ++group) {
    const unsigned line = first + 8 * group;
    for (unsigned piece = 0; piece < bytes / kRow; ++piece) {
      Lanes& words = out.storage[tall ? 2 * piece + group : piece];
      for (unsigned i = 0; i < 8; ++i) {
        if (!transposed) {  // 16 bytes of line i along K: four lanes of the register
          read_row(warp, matrix.address(line + i, piece * kRow, false), 4 * i, d);
          std::memcpy(&words.lane[4 * i], d.bytes.data(), kRow);
          if (d.unknown != 0) f.unknown_lines |= Mask{1} << (8 * group + i);
          continue;
        }
        // Element k = 8 piece + i of eight lines: a half of one lane's word in each line.
        read_row(warp, matrix.address(line, 8 * piece + i, true), 4 * i % kWarpLanes, d);
        for (unsigned n = 0; n < 8; ++n) {
          std::uint16_t half;
          std::memcpy(&half, d.bytes.data() + 2 * n, 2);
          std::uint32_t& word = words.lane[4 * n + i / 2];
          word = i % 2 == 0 ? half : word | std::uint32_t{half} << 16;
          if (d.unknown >> (2 * n) & 3) f.unknown_lines |= Mask{1} << (8 * group + n);
        }
      }
    }
  }
}

}  // namespace burin::emulate
