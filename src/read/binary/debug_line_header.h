// Reads the header of a .debug_line unit: the encoding of its line program and its file table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "read/binary/debug_line.h"

namespace burin::read {

struct LineFile {
  std::string_view folder;  // may be empty
  std::string_view name;
};

struct LineHeader {
  std::uint8_t instruction_bytes = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::array<std::uint8_t, 256> argument_counts{};
  std::vector<LineFile> files;  // file number `first_file` is files[0]
  std::uint32_t first_file = 1;
};

struct LineUnit {
  std::optional<LineHeader> header;  // nullopt if it cannot be read
  Bytes program;
  std::uint64_t start = 0;  // offset of the program in .debug_line, bytes
};

// Reads the unit at the cursor and moves the cursor past it. Returns nullopt if the unit's size is
// invalid.
std::optional<LineUnit> next_line_unit(Cursor& in, const LineInput& input);

}  // namespace burin::read
