// Names for addresses in host programs and libraries, from their symbol tables: that of all
// functions (.symtab), and where the file was stripped of it, that of those it exports.
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
  std::uint64_t begin = 0, end = 0;  // from where the file is loaded
  std::string name{};                // mangled
};

// Sorted; empty where the file is no ELF file of 64 bits or has no symbols.
std::vector<HostFunction> host_functions(Bytes file);

class HostSymbols {
 public:
  // `offset` counts from where the file is loaded. Each file is read once.
  std::string find(const std::string& path, std::uint64_t offset);

 private:
  std::map<std::string, std::vector<HostFunction>> files_;
};

}  // namespace burin::capture
