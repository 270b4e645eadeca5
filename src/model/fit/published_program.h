// KLARAPTOR's method as a rational program: each metric of a launch a rational function of the
// sizes and the block's sides, fitted at small sizes; on top of them a published model of the time;
// the shape of the smallest time is chosen, at every size, by evaluating the program for all
// shapes.
//
//   let block_warps = …                              occupancy, exact
//   let blocks = grid_x * grid_y * grid_z
//   let request_sectors = min(32, max(1, (…) / (1 + …)))      a metric
//   let memory_latency = …                           MWP-CWP, or its successor of 2012
//   time_us = mwp_cwp_us if fits else 1e12
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formula/rational/rational_program.h"
#include "model/fit/published_models.h"

namespace burin::model {

// Names of the models: "mwp-cwp", "sim 2012".
std::span<const std::string_view> published_model_names();

// Completes `program`, which has sizes, grid, shapes and the kernel's resources: definitions,
// inputs and time_us. A metric that was not fitted has the mean of the counted launches. An Error
// without a grid, or without launches.
Result<void> write_published_program(std::string_view model, std::span<const MetricFit> metrics,
                                     std::span<const CountedTime> launches,
                                     formula::RationalProgram& program);

}  // namespace burin::model
