// The wisdom file: which block won when refinement timed alternatives. Runs share it. It is text,
// one winner a line:
//
//   burin-wisdom 1
//   8f14e45fceea167a 64 1 1 41.2 55.0 _Z5saxpyifPKfPf NVIDIA H200
//
// The fields are the key of the launch (kernel, rational program, sizes, own shape, device), the
// block, its time and the time of the program's own block in µs, and for readers the kernel and the
// device. Later lines win. Lines that make no sense are skipped.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/result.h"
#include "runtime/launch/launch_shape.h"

namespace burin::runtime {

struct Winner {
  Extent block = {0, 0, 0};
  double time_us = 0;
  double own_us = 0;  // 0: not timed
  std::string about;  // kernel and device
};

class Wisdom {
 public:
  // "": keep winners in memory alone.
  explicit Wisdom(std::string path);

  bool find(std::uint64_t key, Extent& block) const;

  // Adds a winner and writes the file: other processes' lines are kept, and a reader sees the old
  // file or the new one. The lock is FILE.lock.
  Result<void> add(std::uint64_t key, Winner winner);

 private:
  using Winners = std::map<std::uint64_t, Winner>;
  static Winners read(const std::string& path);

  std::string path_;
  mutable std::mutex mutex_;
  Winners winners_;
};

}  // namespace burin::runtime
