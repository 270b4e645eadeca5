#include "base/timings.h"

#include <algorithm>
#include <mutex>

namespace burin {
namespace {
std::mutex mutex;
std::vector<Timing>& totals() {
  static std::vector<Timing> all;
  return all;
}
}  // namespace

Timed::~Timed() {
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  const std::lock_guard lock(mutex);
  auto& all = totals();
  auto at = std::find_if(all.begin(), all.end(), [&](const Timing& t) { return t.name == name_; });
  if (at == all.end()) at = all.insert(all.end(), Timing{std::string(name_), 0, 0});
  at->calls += 1;
  at->seconds += elapsed.count();
}

std::vector<Timing> timings() {
  const std::lock_guard lock(mutex);
  return totals();
}

}  // namespace burin
