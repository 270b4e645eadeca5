// The table of kernels, one line each, written image by image:
//
//   arch     regs  shared   stack bars params  instrs  kernel, source
//   sm_90      28    4224       0    1     20      64  transpose(float*, int)  transpose.cu:7
//
// All sizes are in bytes. The kernel's name is shortened if the output is a terminal.
#pragma once

#include "base/result.h"
#include "read/binary/container.h"
#include "report/write/output.h"

namespace burin::report {

// "a.out: host program or library with 2 cubins (sm_80, sm_90) and 1 PTX entry".
void write_summary(Output& out, std::string_view path, const read::Container& container);

void write_table_head(Output& out);
void write_table_row(Output& out, const read::Image& image, const read::Function& function);

// Writes the entries that are not cubins: PTX, LTO-IR and kinds that burin does not know, one line
// for each combination of kind, architecture and packing.
void write_other_entries(Output& out, const std::vector<const read::Entry*>& entries);

}  // namespace burin::report
