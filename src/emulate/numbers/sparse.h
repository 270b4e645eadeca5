// Sparse products: two of every four adjacent elements along K in a row of A are omitted, and
// metadata in a register says which two are present.
//
//   a nibble of metadata   two positions of two bits each, the lower first: 0b1100 is 0 and 3
//   elements of 32 bits    one of two is there: 0b0100 is the first, 0b1110 the second
//   elements of 4 bits     come in pairs: a position counts two of them
#pragma once

#include <cstdint>

#include "emulate/values/lanes.h"

namespace burin::emulate {

// Decodes the metadata: for each row of A and each element present, the row of B that it is
// multiplied with, in `meets[row * stride + element]`. Each row has `products` elements of `bits`
// bits. `selector` says which lanes of each group of four hold the metadata.
void read_metadata(const Lanes& metadata, unsigned selector, unsigned products, unsigned bits,
                   std::uint8_t* meets, unsigned stride);
// Fills `meets` for a dense product: element k is multiplied with row k.
void meet_in_order(unsigned products, std::uint8_t* meets, unsigned stride);

}  // namespace burin::emulate
