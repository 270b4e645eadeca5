// Selects which launches are kept, and for which launches the buffer contents are kept too.
//
//   Choice choice(settings);
//   KernelFilterState& kernel = choice.kernel("_Z4gemmPf");       // once per kernel
//   const Verdict verdict = choice.consider(kernel, ranges, now_ns);
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "gpu/record/settings.h"

namespace burin::gpu {

using LaunchShape = std::array<std::uint32_t, 7>;  // grid, block, dynamic shared memory

struct KernelFilterState {
  bool matches = true;                  // the name matches --kernel
  std::vector<std::uint64_t> memory{};  // launches whose contents are wanted: MemoryWish::number
  std::set<LaunchShape> shapes{};       // of its launches so far; only if kNeeded is in `memory`
  std::uint64_t seen = 0;               // launches within the recorded time and NVTX range
  std::uint64_t kept = 0;
};

struct Verdict {
  bool keep = false;
  bool memory = false;
  bool needed_only = false;  // of its memory, what a prediction will need
};

// Not thread-safe: callers must hold the recorder's lock.
class Choice {
 public:
  explicit Choice(const RecordSettings& settings);

  // The state of the kernel with this mangled name. The regular expressions are matched against the
  // mangled and the demangled name. The reference stays valid.
  KernelFilterState& kernel(const std::string& name);

  // Counts the launch and decides whether to keep it. `ranges` are the NVTX ranges around it.
  Verdict consider(KernelFilterState& kernel, const std::vector<std::string>& ranges,
                   std::uint64_t now_ns, const LaunchShape& shape = {});

 private:
  RecordSettings settings_;
  std::regex expression_;
  std::vector<std::regex> memory_;
  std::map<std::string, KernelFilterState> kernels_;
  std::uint64_t candidates_ = 0, kept_ = 0, first_ns_ = 0;
};

}  // namespace burin::gpu
