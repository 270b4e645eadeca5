// The source lines of a loop, in the function that contains its statement. Code inlined into the
// loop counts for the line that calls it.
//
//   36  for (int j = i + 2; j < end; ++j) {
//   37    float2 d = points[j];
//   38    gain += dist(c, d);                 // dist() is at lines 9 and 10
//   39  }
//   lines_of(kernel, loop)                  {"tour.cu", 36, 38}
#pragma once

#include <cstdint>
#include <string_view>

#include "read/program/kernel.h"

namespace burin::read {

struct LoopLines {
  std::string_view file;
  std::uint32_t first = 0;  // 0: no line information
  std::uint32_t last = 0;
};
LoopLines lines_of(const Kernel& kernel, const Loop& loop);

}  // namespace burin::read
