// The GPU's own time stamps at the start and the end of kernels, from CUPTI's activity records: the
// most exact time of a kernel there is, since no launch is in it.
//
//   KernelTimes times(names);            // before the context is made
//   … launches, synchronised …
//   std::vector<double> us = times.last(20, "flush");   // of the last 20 launches, in order
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace burin::gpu {

// There is one CUPTI in a process, so there is one of these at a time.
class KernelTimes {
 public:
  // Opens the first of `names` that there is. `problem()` tells where it does not serve.
  explicit KernelTimes(const std::vector<std::string>& names);
  ~KernelTimes();
  KernelTimes(const KernelTimes&) = delete;
  KernelTimes& operator=(const KernelTimes&) = delete;

  const std::string& problem() const { return problem_; }  // "" where all is well

  void forget();  // what it knows of by now

  // In microseconds, by start, of the last `count` launches, all of which have ended, but those of
  // one kernel; fewer where CUPTI does not tell of them in time. Those before are forgotten. That
  // kernel must stay loaded: others may have the name of one that was unloaded, since CUPTI knows a
  // kernel by its handle, and handles are given out again.
  std::vector<double> last(std::size_t count, std::string_view apart_from);

 private:
  std::string problem_;
};

}  // namespace burin::gpu
