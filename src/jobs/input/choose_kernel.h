// Which kernels does `--kernel NAME` mean? The most exact reading that some kernel fits wins:
//
//   1  the whole name, mangled or demangled   _Z6reducePf, reduce(float*)
//   2  the name without parameters            ns::reduce<float>
//   3  the name alone                         ns::reduce, reduce
//   4  any part of the mangled or demangled   educe<fl
//
// so `reduce` means the kernel reduce even where a reduce_all stands beside it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "read/binary/image.h"

namespace burin::jobs {

class KernelNameMatcher {
 public:
  explicit KernelNameMatcher(std::string wanted) : wanted_(std::move(wanted)) {}

  static constexpr int kNoFit = 5;

  // Every function of the file is offered before any question is asked. How well it fits: 1 to 4
  // as above, or kNoFit.
  int offer(const read::Function& function);

  int level() const { return level_; }  // of the best reading

  bool has(const read::Function& function) const { return chosen_.contains(function.name); }

  // What the kernels are chosen for: a table of all that fit, a view of one, or a launch of one.
  enum class Use { kTable, kView, kLaunch };

  // An Error where nothing fits (with the nearest name), or, where the answer must be one kernel,
  // where several do (with the candidates).
  Result<void> check(Use use) const;

 private:
  std::string wanted_;
  int level_ = kNoFit;
  std::map<std::string, std::string> chosen_;  // name to demangled
  std::set<std::string> plain_names_;          // of all functions, for did-you-mean
};

}  // namespace burin::jobs
