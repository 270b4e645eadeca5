// Tells floating-point data from everything else: indices, pointers, masks, counters, text, pixels.
// A kernel's addresses and branches seldom depend on the former, and often on the latter.
#pragma once

#include "base/bytes.h"

namespace burin::gpu {

// Whether nearly all numbers in these bytes look like floating point of 2, 4 or 8 bytes: exponents
// of ordinary size. Zeros tell nothing; bytes that are all zero are not floating point.
//
//   holds_floating_point(bytes_of({1.5f, -0.25f, 300.0f}))      // true
//   holds_floating_point(bytes_of({17, 4, 1 << 20}))            // false
bool holds_floating_point(Bytes bytes);

}  // namespace burin::gpu
