// Calls of pow and powf whose exponent or base is a number in the source: a few products, a root,
// or an exponential of base 2 take their place.
//
//   fixed_powers("sum += powf(x, 4.0f) * powf(2.0f, k);")   {{"powf(x, 4.0f)", 4}, {"powf(2.0f,
//   k)"}}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace burin::advise {

struct FixedPower {
  std::string call;                  // as it stands in the source
  std::string base;                  // its first argument
  std::optional<double> exponent{};  // none: the base is 2
  unsigned products() const;         // multiplications that compute it
  bool root() const;                 // … of the square root
  // "x * x * x * x", "exp2f(k)": what to write in place of the call.
  std::string cheap() const;
};

// The calls in a line of the source; nothing where one of them has neither number.
std::vector<FixedPower> fixed_powers(std::string_view line);

}  // namespace burin::advise
