// Demangles C++ names: "_Z5innerf" -> "inner(float)". The recorder links this file too and runs
// inside other programs, so it depends on nothing but the C++ standard library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace burin::read {

// The demangled name. Returns `name` unchanged if it is not a mangled name, or if it could expand
// to too much text: each back-reference in a name can double its length, so 250 bytes can expand to
// 100 MB.
std::string demangle(std::string_view name);

// Upper bound of the size of the demangled name, bytes.
std::uint64_t unfolding_bound(std::string_view name);

}  // namespace burin::read
