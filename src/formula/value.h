// A value of an expression or of a tunable parameter: a boolean, an integer, a number or a text.
//
//   Value{std::int64_t{32}}   prints as 32
//   Value{2.5}                prints as 2.5
//   Value{true}               prints as True, and counts as 1 in arithmetic
//   Value{std::string("NHWC")}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace burin::formula {

using Value = std::variant<bool, std::int64_t, double, std::string>;

// As an expression writes it: 32, 2.5, True, "NHWC".
std::string to_string(const Value& value);

// As a macro definition or a table writes it: 32, 2.5, 1 for true, NHWC without quotes.
std::string plain_text(const Value& value);

// The number, with true as 1; nullopt for a text.
std::optional<double> number(const Value& value);

// The integer, if the value is one: 32, true, or a number without fraction such as 32.0.
std::optional<std::int64_t> integer(const Value& value);

// Equal as in Python: True == 1 == 1.0, and a text equals only the same text.
bool equal(const Value& a, const Value& b);

}  // namespace burin::formula
