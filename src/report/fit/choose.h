// What `burin choose` found.
#pragma once

#include "jobs/fit/choose_shape.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

// "block 256 x 1 x 1, grid 16 x 1 x 1 …" and the shapes that come next.
void write_chosen(Output& out, const jobs::ChosenShape& chosen);

// Schema burin.choose/1; docs/fit.md describes every field.
void write_chosen_json(Json& json, const jobs::ChosenShape& chosen);

}  // namespace burin::report
