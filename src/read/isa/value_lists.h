// The lists of modifier values that several rows of the instruction tables share, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace burin::read::isa {

// "round" to "-/RM/RP/RZ": the texts of the values from 0 up, between slashes; `-` prints nothing.
// The text lives as long as the program.
std::optional<std::string_view> list_named(std::string_view name);

// What nvdisasm prints for a value outside a list: "INVALID5".
std::string_view invalid_text(std::uint64_t value);

}  // namespace burin::read::isa
