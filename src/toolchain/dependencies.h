// Which headers a compilation read, and whether they are still the same.
//
// A list has one line per header, its digest and its path, behind a first line that tells its kind:
//
//   burin headers 1
//   9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 include/tile.h
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace burin::toolchain {

// The files that a rule in make's language, as `nvcc -MMD` writes it, depends on.
std::vector<std::string> parse_rule(std::string_view rule);

// The list for such a rule. Files inside `toolkit` are left out: they change with the compiler.
std::string list_headers(std::string_view rule, const std::string& toolkit);

// True where every file of the list still has its digest.
bool headers_unchanged(std::string_view list);

}  // namespace burin::toolchain
