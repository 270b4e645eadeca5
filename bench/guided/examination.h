// Examinations of configurations on one line of text each, as bench/guided.py records them:
//
//   [17, 335.2, 410.1, "dram", 32, 256, 40, 0.31, 0.52, {"issue": 22.1, "dram": 290.4}, 320.5]
//   [18, "the block needs 52 KB of shared memory"]
//
// In order: the index in the space, predicted time and chain in µs, what warps wait for, resident
// warps, threads, registers, seconds of compiling and of examining, the demand of each resource and
// the closed-form estimate in µs.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "model/guided/examined.h"

namespace burin::guided_bench {

struct Recorded {
  model::Examined examined{};
  double compile_seconds = 0;
  double examine_seconds = 0;
};

std::string line_of(std::uint64_t index, const Recorded& recorded);

// By index. A last line that was cut short is left out.
Result<std::map<std::uint64_t, Recorded>> read_examinations(const std::string& path);

}  // namespace burin::guided_bench
