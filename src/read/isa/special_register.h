// The special registers that S2R, S2UR and CS2R read.
#pragma once

#include <cstdint>
#include <string_view>

namespace burin::read {

// The name of a special register, "SR_TID.X", or "SR36" if the number has no name on that
// architecture.
std::string_view special_register_name(std::uint8_t number, std::uint16_t sm);

}  // namespace burin::read
