// C++ names as people write them: "_Z5innerf" -> "inner(float)".
#pragma once

#include <string>
#include <string_view>

namespace burin {

// `name` itself where it is not a mangled name, or too long or too tangled to be worth it.
std::string demangle(std::string_view name);

}  // namespace burin
