// Shortens demangled kernel names for display.
//
//   demangled   void ns::reduce<float, 256>(float*, int)
//   bare        ns::reduce<float, 256>
//   plain       reduce
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace burin::read {

// The name without return type and parameters.
std::string_view bare_name(std::string_view demangled);

// The name without return type, parameters, namespaces and template arguments.
std::string_view plain_name(std::string_view demangled);

// The longest of the three forms that fits in `width` columns; if none fits, it is cut with "…".
// Width 0: no limit.
std::string shorten(std::string_view demangled, std::size_t width);

}  // namespace burin::read
