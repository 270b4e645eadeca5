// Lists of values as Python writes them, in the `Values` of a T1 file.
//
//   parse_value_list("[16, 32, 64]")                       16, 32, 64
//   parse_value_list("['NHWC', 'NCHW']")                   two texts
//   parse_value_list("[1] + list(range(2, 9, 2))")         1, 2, 4, 6, 8
//   parse_value_list("[2**i for i in range(4) if i != 1]") 1, 4, 8
//
// An element is an expression without names (docs/expressions.md), or *LIST for all elements of a
// list. The outer brackets may be missing: "16, 32" and "16" are lists too.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "formula/value.h"

namespace burin::tune {

// Letters, digits and the underscore.
constexpr bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// At most 65,536 values.
Result<std::vector<formula::Value>> parse_value_list(std::string_view text);

}  // namespace burin::tune
