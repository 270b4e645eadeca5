#include "emulate/lower.h"

namespace burin {

std::span<const LowerRow> warpgroup_rows() {
  return {};
}

}  // namespace burin
