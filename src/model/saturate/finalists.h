// Which configurations tuned at the saturation point are worth a run at the target.
//
//   choose_finalists(candidates, {.count = 5})     indices of the best, best first
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace burin::model {

struct Candidate {
  double objective = std::numeric_limits<double>::infinity();  // lower is better; infinite: failed
};

struct FinalistOptions {
  std::size_t count = 5;
};

std::vector<std::size_t> choose_finalists(std::span<const Candidate> candidates,
                                          const FinalistOptions& options);

}  // namespace burin::model
