// The parts of a kernel that its time is split over: loops, inside them loops again, and the blocks
// between them; or what the user names.
//
//   Regions all = find_regions(kernel, executed);
//   all.list[0].name                  "loop at 41-44"
//   all.top                           {0, 3}: those that make up the kernel
//   all.list[0].inside                {1, 2}: those that make up region 0
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
  std::string file;              // that most of its code comes from; "": no line known
  std::uint32_t first_line = 0;  // in that file
  std::uint32_t last_line = 0;
  std::uint32_t first_offset = 0;  // of its code
  std::uint32_t last_offset = 0;
  read::InstructionSet instructions{};
  std::vector<std::size_t> inside{};  // regions that make it up; none: it is not divided
};

struct Regions {
  std::vector<Region> list;
  std::vector<std::size_t> top;  // no instruction is in two, and each executed one is in one
};

// By loops and blocks; what was never executed is in none.
Regions find_regions(const read::Kernel& kernel, const read::InstructionSet& executed);

// NAME=FILE:FIRST-LAST, NAME=FILE:LINE, or without FILE:.
struct RegionLines {
  std::string name;
  std::string file;  // the end of its path; empty: any
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
Result<RegionLines> parse_region(std::string_view text);

// Those that the user names, and `elsewhere` for the rest. An instruction that two of them claim
// (one inlined into the lines of another) belongs to the first. One that holds no instruction is an
// error that says where the kernel's code comes from.
Result<Regions> named_regions(const read::Kernel& kernel, const read::InstructionSet& executed,
                              std::span<const RegionLines> named);

// The line that an instruction comes from, of the kernel's own source: code that was inlined from
// another file counts for the line that calls it. No file where none is known.
struct SourceLine {
  std::string_view file;
  std::uint32_t line = 0;
};
SourceLine line_of(const read::Kernel& kernel, std::uint32_t instruction);

// A number for each instruction, the same for copies that the compiler made of one: those of a kind
// that stand in one line.
std::vector<std::uint32_t> copy_kinds(const read::Kernel& kernel);

}  // namespace burin::analyze
