// What `burin advise --fix` offers, as text and as JSON.
//
//   fix           310 µs → 129 µs predicted, 2.39×; same results, bit for bit
//                 129 µs  shared array tile at transpose.cu:10, rows one element longer
//                 git apply fix.patch
//   not in fix    nvcc --use_fast_math: results differ: 12 of 1,024 values of argument 1, …
#pragma once

#include <string>
#include <vector>

#include "jobs/try/fix.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

// `patch`: where the patch was written; "": not to a file.
std::vector<std::string> fix_lines(const jobs::Fix& fix, const std::string& patch);
void write_fix(Output& out, const jobs::Fix& fix, const std::string& patch);

// "fix": {…}; docs/advise.md describes the fields.
void write_fix_json(Json& json, const jobs::Fix& fix);

}  // namespace burin::report
