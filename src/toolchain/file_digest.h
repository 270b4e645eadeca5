// Digests of files, computed once per process as long as a file does not change: 1000
// configurations of one kernel read its headers once.
//
//   file_digest("tile.h")   // "9f86d081884c7d65…", 64 hexadecimal digits; "-" if it cannot be read
//
// A file has changed if its device, inode, size or modification time has. A file that was modified
// within the last two seconds is always read, as a second change might leave its time as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace burin::toolchain {

// May be called from any thread.
std::string file_digest(const std::string& path);

// An #include directive. Directives in comments and in inactive branches count too.
struct Include {
  enum class Form : std::uint8_t { kQuoted, kAngled, kMacro };  // kMacro: the name is not known
  std::string name;
  Form form = Form::kQuoted;
  bool operator==(const Include&) const = default;
};

std::vector<Include> parse_includes(std::string_view text);

// The directives of a file, remembered as its digest is. Empty if it cannot be read.
std::vector<Include> file_includes(const std::string& path);

// How many files this process has read for their digest or directives, for tests.
std::uint64_t files_read();

}  // namespace burin::toolchain
