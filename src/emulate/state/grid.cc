#include "emulate/state/grid.h"

#include <algorithm>

namespace burin::emulate {

void Grid::stop(Error error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  stopped = true;
}

bool Grid::is_still(const void* worker, std::uint64_t at_writes) {
  const std::lock_guard lock(mutex_);
  still_[worker] = at_writes;
  const std::uint64_t now = writes;
  const auto current =
      std::ranges::count_if(still_, [&](const auto& entry) { return entry.second == now; });
  return static_cast<std::size_t>(current) >= workers;
}

void Grid::leave(const void* worker) {
  const std::lock_guard lock(mutex_);
  still_.erase(worker);
  --workers;
}

std::optional<Error> Grid::error() {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace burin::emulate
