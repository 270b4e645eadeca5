// Several versions of a kernel, the fastest first.
//
//   2 versions of transpose on h200, caches cold; no GPU used
//
//         time        80 % between      ratio  80 % between   version
//   1   141 µs     137 µs … 178 µs       1.00                 padded.cu
//   2   310 µs     301 µs … 391 µs       2.20     1.86 … 2.60 slower   plain.cu
//
//   padded.cu is the fastest: plain.cu takes 1.86 to 2.60 times as long.
#pragma once

#include "jobs/compare_versions.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

void write_comparison(Output& out, const jobs::Comparison& comparison);

// {"schema":"burin.compare/1",…}; docs/compare.md describes every field.
void write_comparison_json(Json& json, const jobs::Comparison& comparison);

}  // namespace burin::report
