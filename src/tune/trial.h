// What became of one configuration.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tune/space/space.h"

namespace burin::tune {

// The names are those of the T4 format, but for "ok", which is "correct" there.
enum class Status : std::uint8_t {
  kOk,
  kTimeout,      // the kernel, or its compilation, did not end in time
  kCompile,      // the compiler rejected it
  kRuntime,      // it could not be launched, or faulted
  kCorrectness,  // its result differs from the reference
  kConstraints,  // dropped before it ran: resources, or a bound that it cannot meet
};
std::string_view name(Status status);  // "ok", "timeout", …
std::optional<Status> parse_status(std::string_view text);

struct Trial {
  Point point;
  Status status = Status::kOk;
  // One sentence, unless kOk; of a predicted time that should not be relied on: why not.
  std::string reason{};

  // Lower is better; infinite unless kOk. An objective that is to be maximised is negated.
  double objective = std::numeric_limits<double>::infinity();
  double time_us = 0;              // of all launches of the configuration
  std::vector<double> times_us{};  // one per sample, after warm-up, throttled ones removed
  bool cut_short = false;          // clearly slower than the best: fewer samples were taken

  bool disturbed = false;  // other processes of the run used the device meanwhile

  double compile_seconds = 0;
  double measure_seconds = 0;  // with verification, and everything else but compiling
  // registers, shared_bytes, spill_bytes, metrics, …; of a predicted time also low_us and high_us,
  // between which 80 % of measured times would lie
  std::map<std::string, double> figures{};

  std::string device{};      // "NVIDIA H200", "emulator:h200"
  std::string host{};        // and where it was measured
  std::int64_t unix_ms = 0;  // when it ended

  bool is_predicted() const { return status == Status::kOk && figures.contains("low_us"); }
};

}  // namespace burin::tune
