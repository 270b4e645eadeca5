#include "emulate/lower.h"

namespace burin {

std::span<const LowerRow> bulk_rows() {
  return {};
}

}  // namespace burin
