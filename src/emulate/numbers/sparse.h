// Sparse products: of every four neighbours along K in a row of A two are left out, and metadata in
// a register says which two are there.
//
//   a nibble of metadata   two positions of two bits each, the lower first: 0b1100 is 0 and 3
//   elements of 32 bits    one of two is there: 0b0100 is the first, 0b1110 the second
//   elements of 4 bits     come in pairs: a position counts two of them
#pragma once

#include <cstdint>

#include "emulate/values/lanes.h"

namespace burin::emulate {

// For each row of A and each element that is there, the row of B that it meets. `products` elements
// of `bits` bits a row; `selector` names the lanes of each four that hold the metadata.
// `meets[row * stride + element]`.
void read_metadata(const Lanes& metadata, unsigned selector, unsigned products, unsigned bits,
                   std::uint8_t* meets, unsigned stride);
// The same for a product that is not sparse: element k meets row k.
void meet_in_order(unsigned products, std::uint8_t* meets, unsigned stride);

}  // namespace burin::emulate
