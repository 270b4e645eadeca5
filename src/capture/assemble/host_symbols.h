// Resolves addresses in host programs and libraries to names and source lines. Names come from the
// full symbol table (.symtab) or, if the file is stripped, from the table of exported functions;
// lines from .debug_line, of files compiled with -g.
//
//   HostSymbols symbols;
//   symbols.find("/usr/local/bin/app", 0x1234)   // "_ZN3app3runEv", or "" where nothing is known
//   symbols.line("/usr/local/bin/app", 0x1234)   // "src/app.cpp:42", or ""
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace burin::capture {

struct HostFunction {
  std::uint64_t begin = 0, end = 0;  // offsets from the load address of the file
  std::string name{};                // mangled
};

// Returns the functions sorted by address; empty if the file is not a 64-bit ELF file or has no
// symbols.
std::vector<HostFunction> host_functions(Bytes file);

// Source lines, sorted by address.
struct HostLine {
  std::uint64_t begin = 0;  // offset from the load address of the file
  std::string place{};      // "src/app.cpp:42"; "": code without a known line
};
std::vector<HostLine> host_lines(Bytes file);

class HostSymbols {
 public:
  // Returns the name of the function at `offset` from the file's load address, or "". Each file is
  // read once.
  std::string find(const std::string& path, std::uint64_t offset);
  // Returns the source line of the code at `offset`, or "".
  std::string line(const std::string& path, std::uint64_t offset);

 private:
  struct HostFile {
    std::vector<HostFunction> functions;
    std::vector<HostLine> lines;
  };
  const HostFile& file_at(const std::string& path);

  std::map<std::string, HostFile> files_;
};

}  // namespace burin::capture
