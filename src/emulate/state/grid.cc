#include "emulate/state/grid.h"

namespace burin::emulate {

void Grid::stop(Error error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  stopped = true;
}

std::optional<Error> Grid::error() {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace burin::emulate
