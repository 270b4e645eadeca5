// Predicts the launch with two axes of its threads exchanged in the code: what a kernel whose lanes
// run along the wrong index would take.
//
//   predict_exchanged(c, {.axis = 2, .grid = {5, 20, 160}, .block = {32, 8}})   x and z exchanged
#pragma once

#include <optional>

#include "advise/case/case.h"
#include "advise/case/rule.h"
#include "advise/patterns/mapping/lane_mapping.h"

namespace burin::advise {

// The code reads threadIdx, blockIdx, blockDim and gridDim of the one axis where it read those of
// the other, and is executed again. Empty without a study, for architectures that do not keep the
// dimensions in constant bank 0, or if the code reads both sizes in one access.
std::optional<timing::Prediction> predict_exchanged(const Case& c, const ExchangedAxes& axes);

// If the mapping exchanges axes, its predicted time becomes the match's estimate: lines that are
// fetched twice and queues of the present pattern disappear with it.
void emulate_exchange(const Case& c, const LaneMapping& mapping, Match& match);

}  // namespace burin::advise
