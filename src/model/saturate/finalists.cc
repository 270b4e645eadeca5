#include "model/saturate/finalists.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace burin::model {

std::vector<std::size_t> choose_finalists(std::span<const Candidate> candidates,
                                          const FinalistOptions& options) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !std::isfinite(candidates[i].objective); });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return candidates[i].objective; });
  order.resize(std::min(order.size(), options.count));
  return order;
}

}  // namespace burin::model
