// What both directions of the worker's protocol share.
#pragma once

#include <string>

#include "measure/device.h"
#include "measure/json_fields.h"

namespace burin::measure {

inline constexpr Word<Caches> kCacheWords[] = {{Caches::kCold, "cold"}, {Caches::kWarm, "warm"}};

// One line of the protocol, with the schema in front.
std::string protocol_line(const Json& value);

}  // namespace burin::measure
