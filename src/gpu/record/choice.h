// Which launches are kept, and of which the buffers' contents too.
//
//   Choice choice(settings);
//   KernelFilterState& kernel = choice.kernel("_Z4gemmPf");       // once per kernel
//   const Verdict verdict = choice.consider(kernel, ranges, now_ns);
#pragma once

#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "gpu/record/settings.h"

namespace burin::gpu {

struct KernelFilterState {
  bool matches = true;                  // --kernel
  std::vector<std::uint64_t> memory{};  // which of its launches' contents are wanted: MemoryWish
  std::uint64_t seen = 0;               // launches in the time and the range that are recorded
  std::uint64_t kept = 0;
};

struct Verdict {
  bool keep = false;
  bool memory = false;
};

// Not safe from many threads: the recorder's lock stands around it.
class Choice {
 public:
  explicit Choice(const RecordSettings& settings);

  // By its mangled name; the expressions are held against the demangled one too. The reference
  // stays valid.
  KernelFilterState& kernel(const std::string& name);

  // Counts the launch and decides on it. `ranges` are the NVTX ranges it stands in.
  Verdict consider(KernelFilterState& kernel, const std::vector<std::string>& ranges,
                   std::uint64_t now_ns);

 private:
  RecordSettings settings_;
  std::regex expression_;
  std::vector<std::regex> memory_;
  std::map<std::string, KernelFilterState> kernels_;
  std::uint64_t candidates_ = 0, kept_ = 0, first_ns_ = 0;
};

}  // namespace burin::gpu
