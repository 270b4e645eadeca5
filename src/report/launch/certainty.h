// How far a prediction can be relied on, as text and JSON.
#pragma once

#include <string>

#include "report/write/json.h"
#include "report/write/output.h"
#include "timing/result/prediction.h"

namespace burin::report {

// "290 to 335 µs for 80 % of such launches"
std::string interval_text(double low_us, double high_us);

// "Interval: 290 to 335 µs for …." and, if a measurement is needed, "Measure this launch instead:
// …"; nothing if the prediction has no interval
void write_interval(Output& out, const timing::Certainty& certainty);

// "certainty": {"low_us", "high_us", "kind", "approximated_share", "defer", "reason",
// "validation"}; nothing if the prediction has no interval
void write_certainty(Json& json, const timing::Certainty& certainty);

}  // namespace burin::report
