// Loops whose trip count follows from data that is not given, so that nothing can be counted.
#pragma once

#include <span>
#include <string>

#include "read/program/kernel.h"
#include "timing/trace/trace.h"

namespace burin::model {

// "the loop at line 41; --trip 41=N gives its count"
std::string describe_loop(const read::Kernel& kernel, const read::Loop& loop);

// A loop whose end depended on an Unknown value in these traces; null: there is none.
const read::Loop* unknown_loop(const read::Kernel& kernel,
                               std::span<const timing::BlockTrace> traces);

}  // namespace burin::model
