// Resolves `--kernel NAME` to kernels. The most exact kind of match that any kernel has wins:
//
//   1  the whole name, mangled or demangled   _Z6reducePf, reduce(float*)
//   2  the name without parameters            ns::reduce<float>
//   3  the name alone                         ns::reduce, reduce
//   4  any part of the mangled or demangled   educe<fl
//
// For example, `reduce` selects the kernel reduce even if there is also a reduce_all.
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

  // Offers a function and returns how well it matches: 1 to 4 as above, or kNoFit. Every function
  // of the file must be offered before the other members are used.
  int offer(const read::Function& function);

  int level() const { return level_; }  // of the best match

  bool has(const read::Function& function) const { return chosen_.contains(function.name); }

  // What the kernels are chosen for: a table of all matches, a view of one kernel, or a launch of
  // one kernel.
  enum class Use { kTable, kView, kLaunch };

  // Returns an Error if nothing matches (with the nearest name), or if several kernels match where
  // only one is allowed (with the candidates).
  Result<void> check(Use use) const;

 private:
  std::string wanted_;
  int level_ = kNoFit;
  std::map<std::string, std::string> chosen_;  // mangled to demangled name
  std::set<std::string> plain_names_;          // of all functions, for did-you-mean suggestions
};

}  // namespace burin::jobs
