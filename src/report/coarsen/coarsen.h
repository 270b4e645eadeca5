// What `burin coarsen` made, as text and as JSON.
//
//   saxpy(int, float, const float*, float*) on h200: thread x=4, stride 64
//
//                  original  coarsened
//   grid               4096       4096
//   block               256         64
//   registers            16         24
//   predicted       12.3 µs    10.1 µs  1.22× faster
#pragma once

#include <string_view>

#include "jobs/coarsen/coarsen_kernel.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct CoarsenReport {
  const jobs::CoarsenedKernel& kernel;
  std::string_view file;
  std::string_view output;  // path of the PTX; "": not written
};

void write_coarsened(Output& out, const CoarsenReport& report);
// Writes {"schema":"burin.coarsen/1",…}.
void write_coarsened_json(Json& json, const CoarsenReport& report);

// What coarsening may do with each PTX opcode.
void write_opcode_rules(Output& out);

}  // namespace burin::report
