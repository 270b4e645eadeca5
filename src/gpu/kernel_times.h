// Kernel durations from the GPU's own time stamps at the start and end of a kernel (CUPTI activity
// records). This is the most accurate measure available, as it excludes launch overhead.
//
//   KernelTimes times(names);            // before the context is created
//   … launches, synchronised …
//   std::vector<KernelSpan> spans = times.last(20, "flush");   // the last 20 launches, in order
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace burin::gpu {

// When a kernel ran, by the GPU's clock.
struct KernelSpan {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

// CUPTI exists once per process, so only one KernelTimes may exist at a time.
class KernelTimes {
 public:
  // Opens the first CUPTI library of `names` that exists. If CUPTI cannot be used, `problem()` says
  // why.
  explicit KernelTimes(const std::vector<std::string>& names);
  ~KernelTimes();
  KernelTimes(const KernelTimes&) = delete;
  KernelTimes& operator=(const KernelTimes&) = delete;

  const std::string& problem() const { return problem_; }  // "" if CUPTI works

  void forget();  // discards all records so far

  // The last `count` launches, ordered by start time, excluding launches of the kernel
  // `apart_from`. All launches must have ended. Returns fewer values if CUPTI does not deliver the
  // records in time. Earlier records are discarded. The kernel `apart_from` must stay loaded: CUPTI
  // identifies a kernel by its handle and handles are reused, so another kernel could be reported
  // under the name of an unloaded one.
  std::vector<KernelSpan> last(std::size_t count, std::string_view apart_from);

 private:
  std::string problem_;
};

}  // namespace burin::gpu
