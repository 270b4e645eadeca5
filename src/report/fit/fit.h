// What `burin fit` made.
#pragma once

#include "jobs/fit/fit_kernel.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

// Samples, the reference and its degrees, how the rank models did on left-out sizes, the regions of
// the sizes and their shapes.
void write_fitted(Output& out, const jobs::FittedKernel& fitted);

// Schema burin.fit/1; docs/fit.md describes every field.
void write_fitted_json(Json& json, const jobs::FittedKernel& fitted);

// "64 × 4", "256", "8 × 8 × 4": sides of 1 at the end are left out.
std::string shape_text(const formula::Shape& shape);

}  // namespace burin::report
