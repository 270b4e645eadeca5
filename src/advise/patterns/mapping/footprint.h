// What a thread loads around its own element, where neighbours load almost the same: a stencil, a
// convolution, a filter.
//
//   for (const Footprint& f : footprints(c)) …
//     f.runs                 {7, 7, 7, 7, 7, 7, 7}: adjacent elements in each row it touches
//     f.stacked              7: rows one above the other
//     f.vectors(4, 4)        3.0: 16-byte loads per result with 4 × 4 results per thread
#pragma once

#include <cstdint>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

struct Footprint {
  read::InstructionSet loads{};
  std::vector<unsigned> runs{};  // elements of each row, in the order of addresses
  unsigned stacked = 1;          // rows at equal distances: results above one another share them
  unsigned element_bytes = 0;
  double elements = 0;  // distinct elements per thread
  double requests = 0;  // requests of a warp

  // Wide loads per result with so many results per thread, side by side and one above the other.
  double vectors(unsigned across, unsigned down) const;
};
// Needs a study. One for each array whose elements several threads of a block load. Empty where
// threads share no elements, or all load the same ones.
std::vector<Footprint> footprints(const Case& c);

}  // namespace burin::advise
