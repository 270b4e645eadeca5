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

// The header list for a make rule. Files inside `toolkit` are omitted, as they change only with the
// compiler, and so are files that no longer exist, such as burin's own temporary ones.
std::string list_headers(std::string_view rule, const std::string& toolkit);

// The header list of a source, for a compiler that does not write rules: found by following
// #include directives, those of inactive branches too. Places where a header was searched in vain
// are listed with the digest "-", as it might appear there.
struct FoundHeaders {
  std::string list;
  bool complete = true;  // false: some directive names its header by a macro, or is not standard
};
// `folders` are those of -I. Headers found nowhere there belong to the toolkit, which changes only
// with the compiler. `built_in` are names of headers that burin itself gives to the compiler.
FoundHeaders find_headers(const std::string& source, const std::vector<std::string>& folders,
                          const std::vector<std::string>& built_in);

// True if every file in the list still has the same digest.
bool headers_unchanged(std::string_view list);

}  // namespace burin::toolchain
