// Fatbin headers, entries and both decompressors.
#include "read/binary/fatbin.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace burin;
  constexpr std::uint64_t kLimit = 1 << 24;
  read::Container container;
  read::scan_fatbins({data, size}, container);
  for (const read::Entry& entry : container.entries) {
    const auto bytes = read::unpack(entry, kLimit);
    if (bytes && bytes->size() != entry.raw_size) __builtin_trap();
  }
  return 0;
}
