#include "gpu/record/choice.h"

#include <algorithm>

#include "read/binary/demangle.h"

namespace burin::gpu {

Choice::Choice(const RecordSettings& settings) : settings_(settings), expression_(settings.kernel) {
  for (const MemoryWish& wish : settings.memory) memory_.emplace_back(wish.kernel);
}

KernelFilterState& Choice::kernel(const std::string& name) {
  const auto [at, is_new] = kernels_.try_emplace(name);
  KernelFilterState& kernel = at->second;
  if (!is_new) return kernel;
  const std::string readable = read::demangle(name);
  const auto matches = [&](const std::regex& expression) {
    return std::regex_search(name, expression) || std::regex_search(readable, expression);
  };
  kernel.matches = settings_.kernel.empty() || matches(expression_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (matches(memory_[i])) kernel.memory.push_back(settings_.memory[i].number);
  }
  return kernel;
}

Verdict Choice::consider(KernelFilterState& kernel, const std::vector<std::string>& ranges,
                         std::uint64_t now_ns, const LaunchShape& shape) {
  if (first_ns_ == 0) first_ns_ = now_ns;
  const bool in_time =
      settings_.milliseconds == 0 || now_ns - first_ns_ < settings_.milliseconds * 1000000;
  const bool in_range = settings_.range.empty() ||
                        std::find(ranges.begin(), ranges.end(), settings_.range) != ranges.end();
  Verdict verdict;
  if (!in_time || !in_range) return verdict;
  ++kernel.seen;
  verdict.memory = std::ranges::any_of(kernel.memory, [&](std::uint64_t number) {
    return number == kernel.seen || number == MemoryWish::kAll;
  });
  if (std::ranges::find(kernel.memory, MemoryWish::kNeeded) != kernel.memory.end() &&
      kernel.shapes.insert(shape).second && !verdict.memory) {
    verdict.memory = verdict.needed_only = true;
  }
  if (kernel.matches) {
    const bool its_turn = candidates_++ % settings_.every == 0;
    const bool room = (settings_.first == 0 || kept_ < settings_.first) &&
                      (settings_.per_kernel == 0 || kernel.kept < settings_.per_kernel);
    verdict.keep = its_turn && room;
  }
  // Contents without their launch would be of no use.
  verdict.keep = verdict.keep || verdict.memory;
  kept_ += verdict.keep ? 1 : 0;
  kernel.kept += verdict.keep ? 1 : 0;
  return verdict;
}

}  // namespace burin::gpu
