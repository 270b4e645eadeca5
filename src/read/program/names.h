// Kernel names as people write them.
//
//   demangled   void ns::reduce<float, 256>(float*, int)
//   bare        ns::reduce<float, 256>
//   plain       reduce
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace burin::read {

// Without return type and parameters.
std::string_view bare_name(std::string_view demangled);

// Without namespaces and template arguments too.
std::string_view plain_name(std::string_view demangled);

// The longest of these forms that fits `width` columns, cut with "…" where none does. 0: no limit.
std::string shorten(std::string_view demangled, std::size_t width);

}  // namespace burin::read
