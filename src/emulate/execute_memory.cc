#include "emulate/lower.h"

namespace burin {

std::span<const LowerRow> memory_rows() {
  return {};
}

}  // namespace burin
