// A launch as JSON, the same in every report.
#pragma once

#include <array>
#include <cstdint>

#include "launch/launch.h"
#include "report/write/json.h"

namespace burin::report {

std::array<std::uint32_t, 3> axes(launch::Dims dims);

// Writes the field "launch": grid, block, cluster if any, shared memory, arguments.
void write_launch(Json& json, const launch::Launch& launch);

}  // namespace burin::report
