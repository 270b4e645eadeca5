#include "emulate/lower.h"

namespace burin {

std::span<const LowerRow> convert_rows() {
  return {};
}

}  // namespace burin
