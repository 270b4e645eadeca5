// Line tables on their own: the first four bytes say how the rest is split into .debug_line,
// .debug_info with its abbreviations (which may overlap), and .debug_str.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "read/binary/debug_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace burin;
  if (size < 4) return 0;
  Bytes rest(data + 4, size - 4);
  const auto take = [&](unsigned bytes) {
    const Bytes part = rest.first(std::min<std::size_t>(bytes, rest.size()));
    rest = rest.subspan(part.size());
    return part;
  };
  const Bytes line = take(data[0] | unsigned{data[1]} << 8);
  const Bytes info = take(data[2] | unsigned{data[3]} << 8);
  const read::CodeAnchor anchors[] = {{48, 3, 0}, {200, 4, 16}};
  const std::vector<read::InlinedCall> calls =
      read::read_inlined_calls({info, rest, rest, anchors, 1});
  const read::LineTable table = read::read_lines({line, rest, rest, anchors, 1, calls});
  for (std::size_t i = 0; i < table.locations.size(); ++i) {
    if (table.locations[i].file >= table.files.size()) __builtin_trap();
    if (table.locations[i].inlined_from >= static_cast<std::int64_t>(i)) __builtin_trap();
  }
  for (const read::SectionLines& lines : table.sections) {
    std::int64_t before = -1;
    for (const read::LineRow& row : lines.rows) {
      if (row.offset <= before) __builtin_trap();
      before = row.offset;
    }
  }
  return 0;
}
