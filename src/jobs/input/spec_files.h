// The files that a tuning spec names: its sources, what its buffers are filled from, and the
// expected outputs.
//
//   spec_files("gemm.toml")   {"gemm.cu", "a.bin"}
#pragma once

#include <string>
#include <vector>

namespace burin::jobs {

// Empty for a file that is no spec, or a damaged one: the command that reads it says so.
std::vector<std::string> spec_files(const std::string& path);

// The paths after "file:" in the texts, as arguments and variables are filled from files.
void add_fill_files(const std::vector<std::string>& texts, std::vector<std::string>& files);

}  // namespace burin::jobs
