// Any file at all: whatever the container finds in it is unpacked and read.
#include <cstddef>
#include <cstdint>

#include "read/binary/container.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace burin;
  const Result<read::Container> container = read::open_container({data, size});
  if (!container) return 0;
  for (const read::Entry& entry : container->entries) {
    if (entry.kind != read::Entry::Kind::kCubin || entry.raw_size > (1 << 24)) continue;
    const Result<read::Image> image = read::load(entry);
    if (!image) continue;
    // What the readers promise their users.
    for (std::size_t i = 0; i < image->locations.size(); ++i) {
      const read::Location& location = image->locations[i];
      if (location.file >= image->files.size()) __builtin_trap();
      if (location.inlined_from >= static_cast<std::int64_t>(i)) __builtin_trap();
    }
    for (const read::Function& function : image->functions) {
      std::int64_t before = -1;
      for (const read::LineRow& row : function.lines) {
        if (row.offset <= before || row.offset >= function.code.size()) __builtin_trap();
        if (row.location >= static_cast<std::int64_t>(image->locations.size())) __builtin_trap();
        before = row.offset;
      }
    }
  }
  return 0;
}
