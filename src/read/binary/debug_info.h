// Reads the inlined calls of code compiled with -G from the DW_TAG_inlined_subroutine entries of
// .debug_info (DWARF 2 to 4, and 5 where it uses the same forms). With -lineinfo, the line table
// contains the inlined calls itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace burin::read {

// The code address that the linker would write at `offset` of a debug section.
struct CodeAnchor {
  std::uint64_t offset = 0;
  std::uint32_t section = 0;
  std::uint64_t address = 0;  // offset in `section`, bytes
};

// The anchor at exactly `offset`, or null. `anchors` must be sorted by offset.
const CodeAnchor* find_anchor(std::span<const CodeAnchor> anchors, std::uint64_t offset);

// The code [begin, end) of `section` was inlined from `function`, called at `file` and `line`.
// Calls nest: the ranges of calls inlined into this function lie inside its range.
struct InlinedCall {
  std::uint32_t section = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string_view function;    // mangled if the compiler gives the mangled name
  std::uint64_t line_unit = 0;  // offset in .debug_line of the unit whose file table `file` indexes
  std::uint64_t file = 0;
  std::uint32_t line = 0;
};

struct DebugInfoInput {
  Bytes info;                           // .debug_info
  Bytes abbreviations;                  // .debug_abbrev
  Bytes strings;                        // .debug_str
  std::span<const CodeAnchor> anchors;  // in .debug_info, sorted by offset
  std::uint32_t default_section = 0;    // section of code without an anchor; 0: skip such code
};

// All inlined calls, sorted by section, outer calls before inner calls. Units that cannot be read
// are skipped.
std::vector<InlinedCall> read_inlined_calls(const DebugInfoInput& input);

}  // namespace burin::read
