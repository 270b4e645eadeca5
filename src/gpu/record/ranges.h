// The current NVTX ranges of each thread. NVTX in the program forwards its calls to the library
// named by the environment variable NVTX_INJECTION64_PATH, which is the recorder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace burin::gpu {

// The open ranges of the calling thread, outermost first.
const std::vector<std::string>& nvtx_ranges();

// Called by NVTX with access to its function tables. Returns 1 on success.
using NvtxExportTable = const void*(std::uint32_t);
int attach_to_nvtx(NvtxExportTable* export_table);

}  // namespace burin::gpu
