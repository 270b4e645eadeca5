// Describes the process and its GPUs.
#pragma once

#include <cstdint>

#include "capture/spool/spool.h"
#include "gpu/record/driver/driver.h"

namespace burin::gpu {

// Describes this process, except for fields that come from CUPTI or the settings. Functions of
// `driver` may be null.
capture::SpoolProcess this_process(const RecordDriver& driver);

capture::SpoolDevice facts_of_device(const RecordDriver& driver, std::uint32_t ordinal);

}  // namespace burin::gpu
