// What `burin saturate` and `burin tune --at-saturation` found.
#pragma once

#include <string>

#include "jobs/saturate/saturate_kernel.h"
#include "jobs/saturate/tune_at_saturation.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

// Table and bars of throughput over problem sizes, plateau, saturation point; with several
// configurations a column for each coarsening factor.
void write_saturated(Output& out, const jobs::SaturatedKernel& found);

// Schema burin.saturate/1; docs/saturate.md describes every field.
void write_saturated_json(Json& json, const jobs::SaturatedKernel& found);
// The same as fields of an object that the caller has opened.
void write_saturated_fields(Json& json, const jobs::SaturatedKernel& found);

// The curves as a picture: throughput over problem sizes, both on logarithmic axes.
std::string saturation_svg(const jobs::SaturatedKernel& found);

void write_tuned_at_saturation(Output& out, const jobs::TunedAtSaturation& tuned);

// Schema burin.tune_at_saturation/1: `saturation`, `savings`, and both searches as burin.tune/1.
void write_tuned_at_saturation_json(Json& json, const jobs::TunedAtSaturation& tuned);

// "12.4 GFLOP/s", or "3.1 G/s" if the unit is unknown.
std::string throughput_text(const jobs::SaturatedKernel& found, double throughput);

}  // namespace burin::report
