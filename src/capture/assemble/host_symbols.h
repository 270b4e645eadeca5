// Resolves addresses in host programs and libraries to names with their symbol tables: the full
// table (.symtab) or, if the file is stripped, the table of exported functions.
//
//   HostSymbols symbols;
//   symbols.find("/usr/local/bin/app", 0x1234)   // "_ZN3app3runEv", or "" where nothing is known
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

class HostSymbols {
 public:
  // Returns the name of the function at `offset` from the file's load address, or "". Each file is
  // read once.
  std::string find(const std::string& path, std::uint64_t offset);

 private:
  std::map<std::string, std::vector<HostFunction>> files_;
};

}  // namespace burin::capture
