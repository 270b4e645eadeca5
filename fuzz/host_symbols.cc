// Any bytes have functions or none; each has a name, and they are in order of their addresses.
#include "capture/assemble/host_symbols.h"

#include <cstdint>
#include <cstdlib>

using namespace burin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t last = 0;
  for (const capture::HostFunction& function : capture::host_functions({data, size})) {
    if (function.name.empty() || function.begin < last) std::abort();
    last = function.begin;
  }
  return 0;
}
