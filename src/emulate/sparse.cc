#include "emulate/sparse.h"

namespace burin {

namespace {

constexpr unsigned kRows = 16;

// A row's metadata comes in pieces of 16 bits: row g in the low half, row g + 8 in the high half of
// lane 4g + piece, of as many lanes of each four as there are pieces; the selector says which.
std::uint32_t nibble_of(const Lanes& metadata, unsigned selector, unsigned pieces, unsigned row,
                        unsigned group) {
  const unsigned lane = 4 * (row % 8) + (selector * pieces + group / 4) % 4;
  return metadata[lane] >> (16 * (row / 8) + 4 * (group % 4)) & 0xf;
}

}  // namespace

void read_metadata(const Lanes& metadata, unsigned selector, unsigned products, unsigned bits,
                   std::uint8_t* meets, unsigned stride) {
  const unsigned per_group = bits == 32 ? 1 : bits == 4 ? 4 : 2;
  const unsigned groups = products / per_group;
  const unsigned pieces = groups / 4;
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned e = 0; e < products; ++e) {
      const unsigned group = e / per_group;
      const std::uint32_t nibble = nibble_of(metadata, selector, pieces, row, group);
      unsigned at = 0;
      if (bits == 32) {
        at = 2 * group + (nibble & 3) / 2;
      } else if (bits == 4) {
        at = 8 * group + 2 * (nibble >> (e % 4 / 2 * 2) & 3) + e % 2;
      } else {
        at = 4 * group + (nibble >> (e % 2 * 2) & 3);
      }
      meets[row * stride + e] = static_cast<std::uint8_t>(at);
    }
  }
}

}  // namespace burin
