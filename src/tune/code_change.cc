#include "tune/code_change.h"

#include <algorithm>
#include <array>

namespace burin::tune {
namespace {

constexpr std::array<std::string_view, 3> kPrefixes = {"coarsen_thread_", "coarsen_stride_",
                                                       "coarsen_block_"};

}  // namespace

bool changes_code(std::string_view tunable) {
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
    return tunable.starts_with(prefix) && tunable.size() == prefix.size() + 1 &&
           std::string_view("xyz").find(tunable.back()) != std::string_view::npos;
  });
}

bool wants_change(const Configuration& configuration) {
  return std::ranges::any_of(configuration.names, [](const auto& named) {
    const auto* number = std::get_if<std::int64_t>(&named.second);
    return changes_code(named.first) && !named.first.starts_with("coarsen_stride_") &&
           number != nullptr && *number != 1;
  });
}

}  // namespace burin::tune
