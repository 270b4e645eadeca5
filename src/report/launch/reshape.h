// Whether a launch may have another block shape, as text and as JSON.
//
//   guarded_plane (sm_90), grid 8,8,1, block 16,16,1: these block sizes give the same results
//
//   axis  threads  block sizes
//   x         128  any
//   y         128  any
//   z           1  divisors of 1: no bounds check in z stops additional threads before k.cu:31
#pragma once

#include <string_view>

#include "analyze/reshape/reshape.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct ReshapeReport {
  const read::Kernel& kernel;
  const launch::Launch& launch;
  const analyze::Reshape& reshape;
};

void write_reshape(Output& out, const ReshapeReport& report);
// Writes {"schema":"burin.reshape/1",…}.
void write_reshape_json(Json& json, const ReshapeReport& report, std::string_view file);

}  // namespace burin::report
