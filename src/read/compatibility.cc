#include "read/compatibility.h"

namespace burin::read {

bool runs_on(Architecture code, Architecture gpu) {
  if (code.variant != 0) return code.sm == gpu.sm;
  return code.sm / 10 == gpu.sm / 10 && code.sm <= gpu.sm;
}

}  // namespace burin::read
