// The NVTX ranges that each thread stands in. NVTX in the program hands its calls to the library
// that the variable NVTX_INJECTION64_PATH names: the recorder's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace burin::gpu {

// Of the calling thread, the outermost first.
const std::vector<std::string>& nvtx_ranges();

// NVTX's way of handing over the table of its functions; 1 where it worked.
using NvtxExportTable = const void*(std::uint32_t);
int attach_to_nvtx(NvtxExportTable* export_table);

}  // namespace burin::gpu
