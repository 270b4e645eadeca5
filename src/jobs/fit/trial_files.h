// Trials of `burin fit` in CSV files: read with --trials, written with --samples-file.
//
//   block_x,block_y,block_z,time_us,n
//   256,1,1,12.5,1048576
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/fit/shape_times.h"

namespace burin::jobs {

Result<model::ShapeTimes> read_trials(const std::string& path, model::Repeats repeats);

// The same times with their sizes in another order of names; an Error naming `path` where the names
// differ.
Result<model::ShapeTimes> with_names(const model::ShapeTimes& times,
                                     const std::vector<std::string>& names,
                                     const std::string& path);

// `predicted` may be null: times of the emulator, after a comment.
std::string trials_text(const model::ShapeTimes& times, const model::ShapeTimes* predicted);

}  // namespace burin::jobs
