// Errors of expressions: where, what, and in which text.
//
//   error_at("32 <= bx *", 10, "a value is missing after \"*\"")
//     column 11: a value is missing after "*" in "32 <= bx *"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::formula {

// `offset` is a byte of `text`. The column counts characters from 1; of a long text the error shows
// the part around the column.
Error error_at(std::string_view text, std::size_t offset, std::string_view message);

}  // namespace burin::formula
