// Calls of pow and powf whose exponent or base is a literal: a few products, a square root, or an
// exponential with base 2 can replace them.
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
  std::string call;                  // source text of the call
  std::string base;                  // its first argument
  std::optional<double> exponent{};  // empty: the base is 2
  unsigned products() const;         // multiplications that compute it
  bool root() const;                 // whether it also needs the square root
  // "x * x * x * x", "exp2f(k)": what to write in place of the call.
  std::string cheap() const;
};

// The calls in a line of the source; empty if one of them has neither a literal exponent nor
// base 2.
std::vector<FixedPower> fixed_powers(std::string_view line);

}  // namespace burin::advise
