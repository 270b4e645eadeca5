#include "emulate/mufu.h"

#include <array>
#include <bit>
#include <cmath>

#include "emulate/float_lanes.h"

namespace burin {
namespace {

constexpr std::uint32_t kInfinity = kFloatExponent;

double widen(std::uint32_t bits) {
  return static_cast<double>(as_float(bits));
}
std::uint32_t narrow(double value) {
  return flush(as_bits(static_cast<float>(value)), kFloatSign);
}

// sum of coefficient[k] * x^k
template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = coefficients[N - 1];
  for (std::size_t k = N - 1; k-- > 0;) sum = sum * x + coefficients[k];
  return sum;
}

// The Taylor coefficients of exp, and of sin(x) / x and cos(x) in x². 1/k! is a correctly rounded
// quotient for these k.
constexpr std::array<double, 18> kExp = [] {
  std::array<double, 18> c{};
  double factorial = 1;
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (k > 0) factorial *= static_cast<double>(k);
    c[k] = 1 / factorial;
  }
  return c;
}();
constexpr std::array<double, 9> kSinQuotient = [] {
  std::array<double, 9> c{};
  for (std::size_t k = 0; k < c.size(); ++k) c[k] = (k % 2 == 0 ? 1 : -1) * kExp[2 * k + 1];
  return c;
}();
constexpr std::array<double, 9> kCos = [] {
  std::array<double, 9> c{};
  for (std::size_t k = 0; k < c.size(); ++k) c[k] = (k % 2 == 0 ? 1 : -1) * kExp[2 * k];
  return c;
}();
// Of atanh(s) / s in s².
constexpr std::array<double, 12> kAtanhQuotient = [] {
  std::array<double, 12> c{};
  for (std::size_t k = 0; k < c.size(); ++k) c[k] = 1 / static_cast<double>(2 * k + 1);
  return c;
}();

constexpr double kLn2 = 0.6931471805599453;
constexpr double kTwoPi = 6.283185307179586;

double power_of_two(int exponent) {  // of a normal double
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// 2^x for |x| < 1000.
double exp2(double x) {
  const double whole = std::nearbyint(x);
  return polynomial(kExp, (x - whole) * kLn2) * power_of_two(static_cast<int>(whole));
}

// log2 of a normal float's value, with a small relative error around 1 too.
double log2(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  // The exponent that leaves a significand between √½ and √2.
  const int exponent =
      static_cast<int>((bits - std::bit_cast<std::uint64_t>(0.70710678)) >> 52 & 0x7ff);
  const int signed_exponent = exponent >= 1024 ? exponent - 2048 : exponent;
  const double m = x * power_of_two(-signed_exponent);
  const double s = (m - 1) / (m + 1);
  return signed_exponent + 2 * s * polynomial(kAtanhQuotient, s * s) / kLn2;
}

// sin(2π (x + quarters / 4)) for finite x.
double sine_of_turns(double x, int quarters) {
  const double turn = x - std::nearbyint(x);           // exact, in [-½, ½]
  const double quarter = std::nearbyint(turn * 4);     // -2 … 2
  const double angle = (turn - quarter / 4) * kTwoPi;  // in [-π/4, π/4]
  const int phase = (static_cast<int>(quarter) + quarters) & 3;
  const double square = angle * angle;
  const double value =
      phase % 2 == 0 ? angle * polynomial(kSinQuotient, square) : polynomial(kCos, square);
  return phase >= 2 ? -value : value;
}

double tanh(double x) {
  const double a = std::fabs(x);
  if (a > 12) return x > 0 ? 1 : -1;
  double e;  // exp(2a) - 1
  if (a < 0.25) {
    std::array<double, 16> series{};
    for (std::size_t k = 0; k < series.size(); ++k) series[k] = kExp[k + 1];
    e = 2 * a * polynomial(series, 2 * a);
  } else {
    e = exp2(2 * a / kLn2) - 1;
  }
  const double value = e / (e + 2);
  return x < 0 ? -value : value;
}

std::uint32_t rcp(std::uint32_t x) {
  return narrow(1 / widen(x));
}

std::uint32_t rsq(std::uint32_t x) {
  if ((x & ~kFloatSign) == 0) return x | kInfinity;
  if ((x & kFloatSign) != 0) return kFloatNan;
  return narrow(1 / std::sqrt(widen(x)));
}

std::uint32_t sqrt(std::uint32_t x) {
  if ((x & ~kFloatSign) == 0) return x;
  if ((x & kFloatSign) != 0) return kFloatNan;
  return narrow(std::sqrt(widen(x)));
}

std::uint32_t lg2(std::uint32_t x) {
  if ((x & ~kFloatSign) == 0) return kFloatSign | kInfinity;
  if ((x & kFloatSign) != 0) return kFloatNan;
  if (x == kInfinity) return x;
  return narrow(log2(widen(x)));
}

std::uint32_t ex2(std::uint32_t x) {
  const double value = widen(x);
  if (value >= 128) return kInfinity;
  if (value < -150) return 0;
  return narrow(exp2(value));
}

std::uint32_t sin(std::uint32_t x) {
  if ((x & ~kFloatSign) == 0) return x;
  if ((x & ~kFloatSign) == kInfinity) return kFloatNan;
  return narrow(sine_of_turns(widen(x), 0));
}

std::uint32_t cos(std::uint32_t x) {
  if ((x & ~kFloatSign) == kInfinity) return kFloatNan;
  return narrow(sine_of_turns(widen(x), 1));
}

std::uint32_t hyperbolic_tangent(std::uint32_t x) {
  if ((x & ~kFloatSign) == 0) return x;
  return narrow(tanh(widen(x)));
}

// The high word of a double whose low word is zero, and back.
constexpr std::uint32_t kHighExponent = 0x7ff00000;
double widen_high(std::uint32_t high) {
  return std::bit_cast<double>(std::uint64_t{high} << 32);
}
std::uint32_t narrow_high(double value) {
  const auto high = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32);
  return (high & kHighExponent) == 0 ? high & kFloatSign : high;
}

std::uint32_t rcp64h(std::uint32_t high) {
  const std::uint32_t magnitude = high & ~kFloatSign;
  if (magnitude > kHighExponent) return kFloatNan;
  if (magnitude < 0x00100000) return (high & kFloatSign) | kHighExponent;
  return narrow_high(1 / widen_high(high));
}

std::uint32_t rsq64h(std::uint32_t high) {
  const std::uint32_t magnitude = high & ~kFloatSign;
  if (magnitude > kHighExponent) return kFloatNan;
  if (magnitude < 0x00100000) return (high & kFloatSign) | kHighExponent;
  if ((high & kFloatSign) != 0) return kFloatNan;
  return narrow_high(1 / std::sqrt(widen_high(high)));
}

struct Row {
  std::string_view name;
  std::uint32_t (*of_bits)(std::uint32_t);
  bool on_doubles = false;
};
// In the order of MufuFunction.
constexpr std::array<Row, 10> kFunctions = {{
    {"COS", cos},
    {"SIN", sin},
    {"EX2", ex2},
    {"LG2", lg2},
    {"RCP", rcp},
    {"RSQ", rsq},
    {"RCP64H", rcp64h, true},
    {"RSQ64H", rsq64h, true},
    {"SQRT", sqrt},
    {"TANH", hyperbolic_tangent},
}};

}  // namespace

std::optional<MufuFunction> mufu_named(std::string_view text) {
  for (std::size_t k = 0; k < kFunctions.size(); ++k)
    if (kFunctions[k].name == text) return static_cast<MufuFunction>(k);
  return std::nullopt;
}

std::uint32_t mufu(MufuFunction function, std::uint32_t bits) {
  const Row& f = kFunctions[static_cast<std::size_t>(function)];
  if (f.on_doubles) return f.of_bits(bits);
  return is_nan(bits) != 0 ? kFloatNan : f.of_bits(flush(bits, kFloatSign));
}

}  // namespace burin
