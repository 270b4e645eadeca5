// The GPU's own time stamps at the start and the end of kernels, from CUPTI's activity records: the
// most exact time of a kernel there is, since no launch is in it.
//
//   KernelTimes times(names);            // before the context is made
//   … launches, synchronised …
//   std::vector<double> us = times.take("_Z6reducePf");   // of that kernel, in order
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace burin {

// There is one CUPTI in a process, so there is one of these at a time.
class KernelTimes {
 public:
  // Opens the first of `names` that there is. `problem()` tells where it does not serve.
  explicit KernelTimes(const std::vector<std::string>& names);
  ~KernelTimes();
  KernelTimes(const KernelTimes&) = delete;
  KernelTimes& operator=(const KernelTimes&) = delete;

  const std::string& problem() const { return problem_; }  // "" where all is well

  // In microseconds, by start, of all kernels of that name that ended since the last call.
  std::vector<double> take(std::string_view kernel);

 private:
  std::string problem_;
};

}  // namespace burin
