#include "jobs/input/choose_kernel.h"

#include <vector>

#include "base/text.h"
#include "read/program/names.h"

namespace burin::jobs {
namespace {

constexpr std::size_t kMaxCandidates = 20;

int level_of(const read::Function& function, std::string_view wanted) {
  const std::string readable = read::readable_name(function.demangled);  // as reports show it
  if (function.name == wanted || function.demangled == wanted || readable == wanted) return 1;
  const std::string_view bare = read::bare_name(function.demangled);
  if (bare == wanted || read::bare_name(readable) == wanted) return 2;
  if (bare.substr(0, bare.find('<')) == wanted || read::plain_name(function.demangled) == wanted)
    return 3;
  const bool part = function.demangled.find(wanted) != std::string::npos ||
                    readable.find(wanted) != std::string::npos ||
                    function.name.find(wanted) != std::string::npos;
  return part ? 4 : KernelNameMatcher::kNoFit;
}

}  // namespace

int KernelNameMatcher::offer(const read::Function& function) {
  plain_names_.emplace(read::plain_name(function.demangled));
  const int level = level_of(function, wanted_);
  if (level == kNoFit || level > level_) return level;
  if (level < level_) chosen_.clear();
  level_ = level;
  chosen_.emplace(function.name, function.demangled);
  return level;
}

Result<void> KernelNameMatcher::check(Use use) const {
  const bool launch = use == Use::kLaunch;
  if (chosen_.empty()) {
    if (plain_names_.empty() && launch) {
      return Error{"contains no kernels; a kernel template must be instantiated in the file"};
    }
    const std::vector<std::string> names(plain_names_.begin(), plain_names_.end());
    const std::string near = closest(wanted_, names);
    const char* const all = launch ? "; `burin inspect` lists them" : "; omit --kernel to see all";
    return Error{"no kernel is named '" + wanted_ + "'" +
                 (near.empty() ? all : "; did you mean " + near + "?")};
  }
  if (use == Use::kTable || chosen_.size() == 1) return {};
  const std::string count = std::to_string(chosen_.size());
  std::string message = wanted_.empty()
                            ? "contains " + count + " kernels; select one with --kernel:"
                        : launch ? "'" + wanted_ + "' matches " + count + " kernels; select one:"
                                 : "'" + wanted_ + "' matches " + count +
                                       " kernels; select one, or omit the view to list all:";
  std::size_t shown = 0;
  for (const auto& [name, demangled] : chosen_) {
    if (shown++ == kMaxCandidates) {
      message += "\n  and " + std::to_string(chosen_.size() - kMaxCandidates) + " more";
      break;
    }
    message += "\n  " + demangled;
  }
  return Error{message};
}

}  // namespace burin::jobs
