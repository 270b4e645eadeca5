// Shortens demangled kernel names for display.
//
//   demangled   void ns::reduce<float, 256>(float*, int)
//   bare        ns::reduce<float, 256>
//   plain       reduce
//   readable    what the user wrote: cub::DeviceReduce of cub::CUB_300001_SM_900::DeviceReduce
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace burin::read {

// The name without return type and parameters.
std::string_view bare_name(std::string_view demangled);

// The name without return type, parameters, namespaces and template arguments.
std::string_view plain_name(std::string_view demangled);

// The name without namespaces that compilers and libraries add: of a translation unit
// (`_INTERNAL_…`, `(anonymous namespace)`, `<unnamed>`) and of a library's version (`std::__4`,
// `CUB_300001_SM_900`).
std::string readable_name(std::string_view demangled);

// The longest of the readable name's three forms that fits in `width` columns; if none fits, it is
// cut with "…". Width 0: no limit.
std::string shorten(std::string_view demangled, std::size_t width);

}  // namespace burin::read
