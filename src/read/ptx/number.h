// The values of PTX's integer constants.
//
//   integer_of("-16")  →  -16      integer_of("0xFFFFFFFF")  →  4294967295 integer_of("0f3F800000")
//   →  nothing
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace burin::read::ptx {

// The value of `42`, `0x1F`, `017`, `0b101`, `42U`; nothing if the text is not an integer or does
// not fit into 64 bits.
std::optional<std::uint64_t> unsigned_of(std::string_view text);

// The same with any number of + and - in front. Values of 2^63 and more come out negative, as their
// bits say.
std::optional<std::int64_t> integer_of(std::string_view text);

}  // namespace burin::read::ptx
