// What is asked of the recorder. `burin record` hands it to the library inside the program in one
// variable of the environment, which the programs that it starts inherit:
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

// Launches whose buffers' contents are wanted: the `number`th of each kernel that matches.
struct MemoryWish {
  static constexpr std::uint64_t kAll = 0;
  std::string kernel{};      // a regular expression
  std::uint64_t number = 1;  // from 1, or kAll
};

struct RecordSettings {
  std::string folder{};              // where the spool files go
  std::vector<std::string> cupti{};  // names under which to look for libcupti
  bool samples = true;
  bool serialize = false;          // kernels one by one, so that samples name their launch
  std::uint64_t period = 0;        // of the samples: 2^period cycles; 0: 2^16
  bool stacks = true;              // the host's call stack at each launch
  bool counters = false;           // how often instructions are executed, and no times or samples
  std::string kernel{};            // a regular expression; "" keeps every kernel's launches
  std::string range{};             // of NVTX: only launches inside it are kept; "": all
  std::uint64_t first = 0;         // so many launches are kept in all; 0: all
  std::uint64_t every = 1;         // one of so many is kept
  std::uint64_t per_kernel = 0;    // so many launches of a kernel are kept; 0: all
  std::uint64_t milliseconds = 0;  // from the first launch on; 0: to the end
  std::vector<MemoryWish> memory{};
  std::uint64_t memory_limit = std::uint64_t{1} << 30;  // bytes of one launch's buffers
};

std::string write_settings(const RecordSettings& settings);

// An Error where a line is not understood or a regular expression is none.
Result<RecordSettings> parse_settings(std::string_view text);

// "gemm.*", "gemm.*:3" or "gemm.*:all": the number stands behind the last colon.
MemoryWish parse_memory_wish(std::string_view text);

}  // namespace burin::gpu
