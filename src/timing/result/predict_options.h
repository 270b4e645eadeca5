// User options for a prediction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/options.h"
#include "launch/recent_use.h"

namespace burin::timing {

// A measured hit rate for the accesses of one source line, from --l2-hit FILE:LINE=RATE or
// LINE=RATE.
struct LineRate {
  std::string file;  // suffix of the file's path; empty: any file
  std::uint32_t line = 0;
  double rate = 0;
};

struct PredictOptions {
  enum class Model : std::uint8_t { kBurin, kSaake };
  Model model = Model::kBurin;
  bool warm = false;  // caches hold the buffers when the kernel begins
  // The kernel was launched before and other kernels ran in between: its code and constants are
  // cached, and a part of the L2 cache holds what they wrote, which is written back as it leaves.
  bool in_stream = false;
  // What earlier launches used, oldest first: the L2 cache holds the last of it when the kernel
  // begins. Empty: `warm` and `in_stream` say it.
  std::vector<launch::RecentUse> recent{};
  std::optional<double> l2_hit{};  // hit rate (0 … 1) used in place of the emulated L2 cache
  std::vector<LineRate> line_l2_hit{};
  std::vector<launch::TripCount> trips{};
  launch::UnknownAccess unknown{};
  unsigned threads = 0;  // threads that execute blocks; 0: one per core
  // Maximum warp instructions executed; 0: limits of the instructions, those of one block and the
  // memory for traces, which take seconds to reach.
  std::uint64_t most_instructions = 0;
  // Selects the small machine variations of compared replays: another seed is another sample of the
  // noise from warp ordering. The prediction itself is not varied.
  std::uint32_t seed = 0;
  // Maximum number of intervals in Prediction::timeline; 0: no timeline.
  std::size_t timeline_intervals = 0;
  // Called periodically with the warp instructions executed so far, from any thread.
  std::function<void(std::uint64_t executed)> heartbeat{};
};

}  // namespace burin::timing
