#include "formula/expression.h"

namespace burin::formula {

std::string_view cpp_prelude() {
  return R"cpp(#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>

               // What C++ lacks of the operators of burin's expressions.
               namespace burin_expression {

               template <typename... T>
               inline constexpr bool all_whole = (std::is_integral_v<T> && ...);

               template <typename T>
               std::int64_t integer(T a) {
                 return static_cast<std::int64_t>(a);
               }
               template <typename T>
               double real(T a) {
                 return static_cast<double>(a);
               }
               template <typename A, typename B>
               double divide(A a, B b) {
                 return real(a) / real(b);
               }

               // Rounded down: -7 // 2 is -4.
               template <typename A, typename B>
               auto floor_divide(A a, B b) {
                 if constexpr (all_whole<A, B>) {
                   const std::int64_t p = a, q = b;
                   return std::int64_t{p / q - (p % q != 0 && (p % q < 0) != (q < 0))};
                 } else {
                   const double remainder = std::fmod(real(a), real(b));
                   double quotient = (real(a) - remainder) / real(b);
                   if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
                   const double down = std::floor(quotient);
                   return quotient - down > 0.5 ? down + 1 : down;
                 }
               }

               // With the sign of the divisor: -7 % 2 is 1.
               template <typename A, typename B>
               auto floor_modulo(A a, B b) {
                 if constexpr (all_whole<A, B>) {
                   const std::int64_t p = a, q = b;
                   const std::int64_t remainder = q == -1 ? 0 : p % q;
                   return std::int64_t{remainder != 0 && (remainder < 0) != (q < 0) ? remainder + q : remainder};
                 } else {
                   const double remainder = std::fmod(real(a), real(b));
                   return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + real(b) : remainder;
                 }
               }

               template <typename A, typename B>
               std::int64_t ceil_divide(A a, B b) {
                 if constexpr (all_whole<A, B>) {
                   return floor_divide(a, b) + (static_cast<std::int64_t>(a) % b != 0);
                 } else {
                   return integer(std::ceil(real(a) / real(b)));
                 }
               }

               template <typename A, typename B>
               double power(A a, B b) {
                 return std::pow(real(a), real(b));
               }
               template <typename A>
               auto integer_power(A a, std::int64_t exponent) {
                 if constexpr (all_whole<A>) {
                   std::int64_t value = 1, base = a;
                   for (;; base *= base) {
                     if (exponent % 2 != 0) value *= base;
                     exponent /= 2;
                     if (exponent == 0) return value;
                   }
                 } else {
                   return std::pow(a, real(exponent));
                 }
               }

               template <typename A, typename B>
               std::int64_t shift_left(A a, B b) {
                 return b > 63 ? 0
                               : static_cast<std::int64_t>(static_cast<std::uint64_t>(integer(a))
                                                           << integer(b));
               }
               template <typename A, typename B>
               std::int64_t shift_right(A a, B b) {
                 return integer(a) >> (b > 63 ? 63 : integer(b));
               }

               template <typename A>
               A minimum(A a) {
                 return a;
               }
               template <typename A, typename B, typename... Rest>
               auto minimum(A a, B b, Rest... rest) {
                 return minimum(b < a ? b : a, rest...);
               }
               template <typename A>
               A maximum(A a) {
                 return a;
               }
               template <typename A, typename B, typename... Rest>
               auto maximum(A a, B b, Rest... rest) {
                 return maximum(b > a ? b : a, rest...);
               }

               template <typename A>
               A absolute(A a) {
                 return a < 0 ? -a : a;
               }
               template <typename A>
               std::int64_t truncate(A a) {
                 return integer(a);
               }
               template <typename A>
               std::int64_t floor(A a) {
                 if constexpr (all_whole<A>)
                   return a;
                 else
                   return integer(std::floor(a));
               }
               template <typename A>
               std::int64_t ceiling(A a) {
                 if constexpr (all_whole<A>)
                   return a;
                 else
                   return integer(std::ceil(a));
               }
               template <typename A>
               std::int64_t round_half_even(A a) {
                 if constexpr (all_whole<A>)
                   return a;
                 else
                   return integer(std::nearbyint(a));
               }
               template <typename A>
               double square_root(A a) {
                 return std::sqrt(real(a));
               }
               template <typename A>
               double log2(A a) {
                 return std::log2(real(a));
               }

               }  // namespace burin_expression
  )cpp";
}

}  // namespace burin::formula
