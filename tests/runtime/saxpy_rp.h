// The rational program of the fake driver's saxpy (fake/driver.cc), and folders with such files.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/temporary_folder.h"

namespace burin::runtime {

inline constexpr char kSaxpyRp[] = R"(burin-rp 1
kernel _Z5saxpyifPKfPf
parameters 0:4 4:4 8:8 16:8
code -
registers 12
shared 0
max_threads 1024
required_block 0 0 0
proof proved every id is ctaid * ntid + tid
size n = arg0_i32
grid_x = ceildiv(n, bx)
grid_y = 1
grid_z = 1
shared_bytes = smem
shape 32 1 1
shape 64 1 1
shape 128 1 1
shape 512 1 1
input sm_count
time_us = bx * ceil(grid_x / sm_count)
device "NVIDIA H200" cc 9.0 sm_count 132
  validated measured 2026-11-17
  domain n 100 1000000
  outside program
  if n <= 4096
    use 0 1
  else
    if n <= 200000
      use 2 1 0
    else
      use 3 2
end -
)";

// kSaxpyRp with one text in place of another.
inline std::string saxpy_rp_with(const std::string& old_text, const std::string& new_text) {
  std::string text = kSaxpyRp;
  const std::size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return text.replace(at, old_text.size(), new_text);
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// A folder with one file, saxpy.rp.
struct RpFolder {
  explicit RpFolder(const std::string& text = kSaxpyRp) : folder(TemporaryFolder::make()) {
    write_text(path() + "/saxpy.rp", text);
  }
  const std::string& path() const { return folder->path(); }

  Result<TemporaryFolder> folder;
};

}  // namespace burin::runtime
