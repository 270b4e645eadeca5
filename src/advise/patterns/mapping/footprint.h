// The elements that a thread loads around its own element, when neighbouring threads load almost
// the same: a stencil, a convolution, a filter.
//
//   for (const Footprint& f : footprints(c)) …
//     f.runs                 {7, 7, 7, 7, 7, 7, 7}: adjacent elements in each row it touches
//     f.stacked              7: vertically adjacent rows
//     f.vectors(4, 4)        1.9: loads per result with 4 × 4 results per thread
#pragma once

#include <cstdint>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

struct Footprint {
  read::InstructionSet loads{};
  std::vector<unsigned> runs{};  // elements of each row, in the order of addresses
  unsigned stacked = 1;          // rows at equal distances: vertically adjacent results share them
  unsigned element_bytes = 0;
  double elements = 0;  // distinct elements per thread
  double requests = 0;  // requests of a warp

  // Loads per result, 16 bytes wide where possible, with `across` × `down` results per thread.
  double vectors(unsigned across, unsigned down) const;
  double rows(unsigned down) const;  // that a thread with `down` results above each other loads
};

// The loads of a row for `across` adjacent results, the first of which is aligned to 16 bytes, with
// `run` elements around each: single loads at the ends if that takes no more loads than wide ones
// that reach beyond them.
struct RowLoads {
  unsigned wide = 0;
  unsigned single = 0;
};
RowLoads row_loads(unsigned run, unsigned across, unsigned at_once);

// Needs a study. One footprint for each array whose elements several threads of a block load. Empty
// if threads share no elements, or if all load the same elements.
std::vector<Footprint> footprints(const Case& c);

}  // namespace burin::advise
