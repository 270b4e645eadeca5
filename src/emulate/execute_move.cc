#include "emulate/lower.h"

namespace burin {

std::span<const LowerRow> move_rows() {
  return {};
}

}  // namespace burin
