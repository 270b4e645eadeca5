// Reads DWARF line tables (.debug_line, versions 2 to 5), which map instructions to source lines.
//
// NVIDIA adds extended opcode 0x90 (context, name): the following rows belong to a function that
// was inlined at row number `context` (counted from 1) of the same sequence; the function's name is
// at offset `name` of .debug_str. Context 0 ends the inlining. Example: line 12 is `a[i] =
// middle(b[i])`, and middle calls inner on line 5:
//
//   row  offset  line  context        means
//   7    0x100   12    -              the call of middle
//   8    0x100   5     7  middle      the call of inner, in middle, called at row 7
//   9    0x100   2     8  inner       the code at 0x100: inner:2, from middle:5, from line 12
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "read/binary/debug_info.h"
#include "read/binary/image.h"

namespace burin::read {

struct LineInput {
  Bytes line;                           // .debug_line
  Bytes strings;                        // .debug_str
  Bytes line_strings;                   // .debug_line_str (version 5)
  std::span<const CodeAnchor> anchors;  // in .debug_line, sorted by offset
  std::uint32_t default_section = 0;    // section of code without an anchor; 0: skip such code
  std::span<const InlinedCall> calls;   // from .debug_info, for line tables without inlined calls
};

// The rows of one code section, sorted by offset, one row per offset. Location -1 marks the end of
// code with known source.
struct SectionLines {
  std::uint32_t section = 0;
  std::vector<LineRow> rows;
};

struct LineTable {
  std::vector<std::string> files;
  std::vector<Location> locations;
  std::shared_ptr<const std::vector<std::string>> names;
  std::vector<SectionLines> sections;
  bool damaged = false;  // some part could not be read and was skipped
};

LineTable read_lines(const LineInput& input);

}  // namespace burin::read
