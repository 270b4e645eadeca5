// Kernel names as people write them.
//
//   demangled   void ns::reduce<float, 256>(float*, int)
//   bare        ns::reduce<float, 256>
//   plain       reduce
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace burin {

// Without return type and parameters.
std::string_view bare_name(std::string_view demangled);

// Without namespaces and template arguments too.
std::string_view plain_name(std::string_view demangled);

// The longest of these forms that fits `width` columns, cut with "…" where none does. 0: no limit.
std::string shorten(std::string_view demangled, std::size_t width);

// The last part of a path: "kernels/a.cu" -> "a.cu".
std::string_view file_name(std::string_view path);

// "a.cu:12"; in words where no file is known.
std::string line_name(std::string_view path, std::uint32_t line);

}  // namespace burin
