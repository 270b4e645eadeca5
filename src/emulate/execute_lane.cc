#include "emulate/lower.h"

namespace burin {

std::span<const LowerRow> lane_rows() {
  return {};
}

}  // namespace burin
