// What limits a launch, in words: the same sentence in explain and in advise.
//
//   L2 throughput limits this kernel: its lower bound is 94 % of the predicted time.
#pragma once

#include <string>
#include <string_view>

#include "analyze/limiter.h"
#include "report/write/json.h"

namespace burin::report {

// Returns which resource limits the launch, how much, and what comes next. `place` follows the
// limiter's name: ", mostly in the loop at 41-44".
std::string limit_sentence(const analyze::Limits& limits, std::string_view place = "");

// "bottleneck": {"resource": …, "ties": […]}; docs/explain.md describes every field.
void write_limits_json(Json& json, const analyze::Limits& limits);

// Returns the resource's name for use in a sentence: "shared memory", "FMA pipe".
std::string_view words_of(machine::Resource resource);

// Returns `text` with a capital first letter.
std::string capital(std::string text);

}  // namespace burin::report
