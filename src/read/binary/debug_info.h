// Inlined calls as -G tells them: the DW_TAG_inlined_subroutine entries of .debug_info (DWARF 2 to
// 4, and 5 where it uses the same forms). With -lineinfo the line table tells them itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace burin::read {

// What the linker would put at `offset` of a debug section: a place in a code section.
struct CodeAnchor {
  std::uint64_t offset = 0;
  std::uint32_t section = 0;
  std::uint64_t address = 0;  // in that section
};

// The anchor at exactly `offset`, or null. `anchors` are sorted by offset.
const CodeAnchor* find_anchor(std::span<const CodeAnchor> anchors, std::uint64_t offset);

// The code [begin, end) of `section` is `function`, inlined where the file and line say. Calls
// nest: what was inlined into this function lies inside its range.
struct InlinedCall {
  std::uint32_t section = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string_view function;    // mangled where the compiler says so
  std::uint64_t line_unit = 0;  // where in .debug_line the unit that numbers `file` starts
  std::uint64_t file = 0;
  std::uint32_t line = 0;
};

struct DebugInfoInput {
  Bytes info;                           // .debug_info
  Bytes abbreviations;                  // .debug_abbrev
  Bytes strings;                        // .debug_str
  std::span<const CodeAnchor> anchors;  // of .debug_info, sorted by offset
  std::uint32_t default_section = 0;    // of code that has no anchor; 0: leave it out
};

// Sorted by section, then outer before inner. Units that cannot be read are left out.
std::vector<InlinedCall> read_inlined_calls(const DebugInfoInput& input);

}  // namespace burin::read
