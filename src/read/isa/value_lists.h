// Named lists of modifier values that several rows of the instruction tables share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace burin::read::isa {

// The list called `name`: "round" gives "-/RM/RP/RZ", the texts of values 0, 1, 2 and so on,
// separated by slashes; `-` prints nothing. Returns nullopt if there is no such list. The text has
// static lifetime.
std::optional<std::string_view> list_named(std::string_view name);

// What nvdisasm prints for a value that is not in a list: "INVALID5".
std::string_view invalid_text(std::uint64_t value);

}  // namespace burin::read::isa
