#include "emulate/lower.h"

namespace burin {

std::span<const LowerRow> atomic_rows() {
  return {};
}

}  // namespace burin
