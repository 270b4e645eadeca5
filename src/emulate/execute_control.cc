#include "emulate/lower.h"

namespace burin {

std::span<const LowerRow> control_rows() {
  return {};
}

}  // namespace burin
