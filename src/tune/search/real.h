// Exponential and logarithm by basic arithmetic only, so that they are the same on every platform,
// which those of the C library are not: a search must ask for the same points everywhere. Exact to
// about 1e-14.
#pragma once

#include <cmath>

namespace burin::tune {

// e^x; 0 below -700, and the value of 700 above it.
inline double real_exp(double x) {
  constexpr double kLimit = 700;
  constexpr double kLn2 = 0.6931471805599453;
  if (!(x > -kLimit)) return 0;
  if (x > kLimit) x = kLimit;
  const double power = std::floor(x / kLn2 + 0.5);
  const double rest = x - power * kLn2;  // -0.35 … 0.35
  double sum = 1;
  for (int term = 13; term > 0; --term) sum = 1 + sum * rest / term;
  return std::ldexp(sum, static_cast<int>(power));
}

// The natural logarithm of a positive number.
inline double real_log(double x) {
  constexpr double kLn2 = 0.6931471805599453;
  int power = 0;
  double mantissa = std::frexp(x, &power);  // 0.5 … 1
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --power;
  }
  const double s = (mantissa - 1) / (mantissa + 1);  // log(m) = 2 (s + s³/3 + s⁵/5 + …)
  double sum = 0;
  for (int term = 21; term > 0; term -= 2) sum = sum * s * s + 1.0 / term;
  return power * kLn2 + 2 * s * sum;
}

}  // namespace burin::tune
