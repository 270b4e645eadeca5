// Memory that earlier launches used, which the L2 cache may still hold.
#pragma once

#include <cstdint>

namespace burin::launch {

struct RecentUse {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t launch = 0;  // ranges with the same number were used at the same time

  bool operator==(const RecentUse&) const = default;
};

}  // namespace burin::launch
