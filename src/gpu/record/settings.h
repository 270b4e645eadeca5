// The settings of the recorder. `burin record` passes them to the library inside the program in one
// environment variable, which child processes inherit:
//
//   BURIN_RECORD="folder=/tmp/app.burin.spool\nsamples=1\nkernel=gemm.*"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace burin::gpu {

inline constexpr const char* kRecordVariable = "BURIN_RECORD";

// Selects launches whose buffer contents are recorded: launch `number` of each matching kernel.
struct MemoryWish {
  static constexpr std::uint64_t kAll = 0;
  // The first launch of each shape, and of large buffers only what a prediction will need.
  static constexpr std::uint64_t kNeeded = ~std::uint64_t{0};
  std::string kernel{};      // a regular expression
  std::uint64_t number = 1;  // from 1, or kAll, or kNeeded
};

struct RecordSettings {
  std::string folder{};              // folder for the spool files
  std::vector<std::string> cupti{};  // file names to try for libcupti
  bool samples = true;
  bool serialize = false;    // one kernel at a time, so that samples can be assigned to launches
  std::uint64_t period = 0;  // sampling period: 2^period cycles; 0: 2^16
  bool stacks = true;        // record the host call stack at each launch
  bool counters = false;     // count executed instructions; no times and no samples
  std::string kernel{};      // regular expression; "": keep launches of all kernels
  std::string range{};       // NVTX range: keep only launches inside it; "": all
  std::uint64_t first = 0;   // maximum number of launches kept in total; 0: all
  std::uint64_t every = 1;   // keep one of every N launches
  std::uint64_t per_kernel = 0;    // maximum number of launches kept per kernel; 0: all
  std::uint64_t milliseconds = 0;  // recording time from the first launch on; 0: until the end
  std::vector<MemoryWish> memory{};
  // Maximum bytes of a launch's buffers, and of all that is recorded for kNeeded.
  std::uint64_t memory_limit = std::uint64_t{1} << 30;
};

std::string write_settings(const RecordSettings& settings);

// Parses the settings. Returns an Error for an unknown line or an invalid regular expression.
Result<RecordSettings> parse_settings(std::string_view text);

// Parses "gemm.*", "gemm.*:3", "gemm.*:all" or "gemm.*:auto"; "auto" alone is ".*:auto". The number
// follows the last colon.
MemoryWish parse_memory_wish(std::string_view text);

}  // namespace burin::gpu
