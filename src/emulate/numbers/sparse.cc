#include "emulate/numbers/sparse.h"

#include "emulate/numbers/tensor_float.h"

namespace burin::emulate {

namespace {

// The location of the nibble of a group of elements. For row g or g + 8 it is held by lanes 4g … 4g
// + 3, or by as many of them as are needed, chosen by the selector.
//
//   16- and 32-bit elements   a lane has 16 bits of row g, below 16 bits of row g + 8
//   8- and 4-bit elements     a lane has 32 bits of row g, the next one those of row g + 8
//
// All but the 4-bit elements, and the 8-bit floats, are confirmed by recorded products.
std::uint32_t nibble_of(const Lanes& metadata, unsigned selector, unsigned bits, unsigned groups,
                        unsigned row, unsigned group) {
  const unsigned g = row % 8;
  const unsigned half = row / 8;
  if (bits < 16) {
    const unsigned pair = groups > 8 ? group / 8 : selector;
    return metadata[4 * g + 2 * (pair % 2) + half] >> (4 * (group % 8)) & 0xf;
  }
  const unsigned lanes = groups / 4;
  const unsigned lane = (selector * lanes + group / 4) % 4;
  return metadata[4 * g + lane] >> (16 * half + 4 * (group % 4)) & 0xf;
}

}  // namespace

void read_metadata(const Lanes& metadata, unsigned selector, unsigned products, unsigned bits,
                   std::uint8_t* meets, unsigned stride) {
  const unsigned per_group = bits == 32 ? 1 : bits == 4 ? 4 : 2;
  const unsigned groups = products / per_group;
  for (unsigned row = 0; row < kTileRows; ++row) {
    for (unsigned e = 0; e < products; ++e) {
      const unsigned group = e / per_group;
      const std::uint32_t nibble = nibble_of(metadata, selector, bits, groups, row, group);
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

void meet_in_order(unsigned products, std::uint8_t* meets, unsigned stride) {
  for (unsigned row = 0; row < kTileRows; ++row)
    for (unsigned k = 0; k < products; ++k) meets[row * stride + k] = static_cast<std::uint8_t>(k);
}

}  // namespace burin::emulate
