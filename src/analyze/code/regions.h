// The parts of a kernel that its time is split over: loops, nested loops, and the basic blocks
// between them; or regions that the user names.
//
//   Regions all = find_regions(kernel, executed);
//   all.list[0].name                  "loop at 41-44"
//   all.top                           {0, 3}: the regions that make up the kernel
//   all.list[0].inside                {1, 2}: the regions that make up region 0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "read/program/instruction_set.h"
#include "read/program/kernel.h"

namespace burin::analyze {

struct Region {
  std::string name;
  std::string file;              // file that most of its code comes from; "": no line information
  std::uint32_t first_line = 0;  // in `file`
  std::uint32_t last_line = 0;
  std::uint32_t first_offset = 0;  // byte offsets of its code
  std::uint32_t last_offset = 0;
  read::InstructionSet instructions{};
  std::vector<std::size_t> inside{};  // indices of sub-regions; empty: not divided
};

struct Regions {
  std::vector<Region> list;
  // Indices of top-level regions: disjoint, and together they hold all executed code.
  std::vector<std::size_t> top;
};

// Finds regions from loops and basic blocks. Code that was never executed is in no region.
Regions find_regions(const read::Kernel& kernel, const read::InstructionSet& executed);

// A region given by the user: NAME=FILE:FIRST-LAST or NAME=FILE:LINE. "FILE:" is optional.
struct RegionLines {
  std::string name;
  std::string file;  // suffix of the path; empty: any file
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
Result<RegionLines> parse_region(std::string_view text);

// Returns the regions that the user names, plus `elsewhere` for the rest. An instruction in two
// named regions (for example inlined code) belongs to the first of the two. A region without
// instructions is an error; the message says which lines the kernel's code comes from.
Result<Regions> named_regions(const read::Kernel& kernel, const read::InstructionSet& executed,
                              std::span<const RegionLines> named);

// The source line of an instruction, in the kernel's own source: code inlined from another file
// counts for the line that calls it. `file` is empty without line information.
struct SourceLine {
  std::string_view file;
  std::uint32_t line = 0;
};
SourceLine line_of(const read::Kernel& kernel, std::uint32_t instruction);

// Returns a number for each instruction. Instructions with the same mnemonic on the same source
// line (copies made by the compiler, e.g. by unrolling) have the same number.
std::vector<std::uint32_t> copy_kinds(const read::Kernel& kernel);

}  // namespace burin::analyze
