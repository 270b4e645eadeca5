// The rational programs that BURIN_LAUNCH_PATH names, read once.
//
//   ProgramFiles files = load_program_files({"/opt/app/rp", "saxpy.rp"});
//   for (const ProgramFile& file : files.files) …
//   files.problems      "saxpy.rp: line 12: …": files that are left out, and why
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formula/rational/rational_program.h"

namespace burin::runtime {

struct ProgramFile {
  std::string path;
  std::uint64_t fingerprint = 0;  // of the content
  formula::RationalProgram program;
};

struct ProgramFiles {
  std::vector<ProgramFile> files{};
  std::vector<std::string> problems{};
};

// A folder stands for the files in it whose names end in .rp, in alphabetical order.
ProgramFiles load_program_files(std::span<const std::string> path);

}  // namespace burin::runtime
