// What the user decides about a prediction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/options.h"

namespace burin::timing {

// FILE:LINE=RATE or LINE=RATE, of --l2-hit: a measured hit rate for one line's accesses.
struct LineRate {
  std::string file;  // the end of its path; empty: any
  std::uint32_t line = 0;
  double rate = 0;
};

struct PredictOptions {
  enum class Model : std::uint8_t { kBurin, kSaake };
  Model model = Model::kBurin;
  bool warm = false;               // caches hold the buffers when the kernel begins
  std::optional<double> l2_hit{};  // 0 … 1, in place of the L2 that is emulated
  std::vector<LineRate> line_l2_hit{};
  std::vector<launch::TripCount> trips{};
  launch::UnknownAccess unknown{};
  unsigned threads = 0;                 // for executing blocks; 0: one per core
  std::uint64_t most_instructions = 0;  // executed warp instructions; 0: a limit that takes seconds
  std::function<void(double share)> progress{};
};

}  // namespace burin::timing
