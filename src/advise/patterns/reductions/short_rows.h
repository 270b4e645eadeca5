// Rows that have fewer elements than the lanes that share them: a warp for each row of a sparse
// matrix with six entries per row. The loop over the row has one iteration, in which most lanes
// have no element, and the shuffles that combine the lanes' values are executed for one row alone.
//
//   if (const std::optional<ShortRows> rows = short_rows(c, lanes)) …
//     rows->elements   6.1: of a row, on average
//     rows->lanes      32: that share a row
//     rows->fewer      8: that should
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/case/case.h"
#include "advise/patterns/code/lanes.h"

namespace burin::advise {

struct ShortRows {
  std::uint32_t loop = read::kNoIndex;  // over a row
  double elements = 0;
  unsigned lanes = 0;
  unsigned fewer = 0;   // a power of two
  launch::Dims grid{};  // of the changed launch
  launch::Dims block{};

  double share() const { return static_cast<double>(fewer) / lanes; }  // of the warps that is left
};
// Needs a study.
std::optional<ShortRows> short_rows(const Case& c, const std::vector<LaneMean>& lanes);

std::string short_rows_text(const Case& c, const ShortRows& rows);
std::string short_rows_hint(const Case& c, const ShortRows& rows);

}  // namespace burin::advise
