// Records which headers a compilation read and checks whether they have changed since.
//
// A list starts with a line that identifies the format, followed by one line per header with its
// digest and its path:
//
//   burin headers 1
//   9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 include/tile.h
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace burin::toolchain {

// The prerequisites of a make rule as written by `nvcc -MMD`.
std::vector<std::string> parse_rule(std::string_view rule);

// The header list for a make rule. Files inside `toolkit` are omitted: they change only with the
// compiler.
std::string list_headers(std::string_view rule, const std::string& toolkit);

// True if every file in the list still has the same digest.
bool headers_unchanged(std::string_view list);

}  // namespace burin::toolchain
