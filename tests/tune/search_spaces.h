// Parameters for the tests of searches.
#pragma once

#include <string>
#include <vector>

#include "tune/space/space.h"

namespace burin::tune {

inline Parameter whole_numbers(const std::string& name, const std::vector<std::int64_t>& values) {
  Parameter parameter{name, {}};
  for (const std::int64_t value : values) parameter.values.emplace_back(value);
  return parameter;
}

}  // namespace burin::tune
