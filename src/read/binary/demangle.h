// C++ names as people write them: "_Z5innerf" -> "inner(float)". The recorder links this too,
// inside other programs: it needs no library but C++'s own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace burin::read {

// `name` itself where it is not a mangled name, or where it could unfold into too much text: each
// reference to an earlier part of a name may double it, so 250 bytes can say what 100 MB spell out.
std::string demangle(std::string_view name);

// At least as many bytes as `name` can unfold into.
std::uint64_t unfolding_bound(std::string_view name);

}  // namespace burin::read
