// What `burin advise --try` found, as text and as JSON.
//
//   tried: #pragma unroll 4 at a.cu:14: compiled and predicted 1.31 ms, 1.70×
//   …
//   tried         31 changes
//   not faster    #pragma unroll 8 at a.cu:14 (0.97×), -ftz=true (1.00×)
//   not tried     another block shape: the kernel has a barrier
#pragma once

#include <string>

#include "advise/case/finding.h"
#include "jobs/try/try_changes.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

// For a finding with a tried change.
std::string tried_text(const advise::Finding& finding);

void write_tried(Output& out, const jobs::TriedChanges& tried);

// "tried": {…}; docs/advise.md describes the fields.
void write_tried_json(Json& json, const jobs::TriedChanges& tried);

}  // namespace burin::report
