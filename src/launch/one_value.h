// Options that may be repeated, each time for another key: --trip 12=10 --trip 20=4.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace burin::launch {

// The texts are KEY=VALUE, or VALUE alone; the key ends at the last '='. A usage Error if a key has
// two different values; the caller prepends the name of the option.
Result<void> check_one_value_each(std::span<const std::string> texts);

}  // namespace burin::launch
