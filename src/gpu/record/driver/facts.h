// What the process and its GPUs are.
#pragma once

#include <cstdint>

#include "capture/spool/spool.h"
#include "gpu/record/driver/driver.h"

namespace burin::gpu {

// All but what CUPTI and the settings say. The driver may lack functions.
capture::SpoolProcess this_process(const RecordDriver& driver);

capture::SpoolDevice facts_of_device(const RecordDriver& driver, std::uint32_t ordinal);

}  // namespace burin::gpu
