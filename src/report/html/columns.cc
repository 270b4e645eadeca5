#include "report/html/columns.h"

#include <cstdlib>

#include "base/format.h"

namespace burin::report {

double rounded(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

}  // namespace burin::report
