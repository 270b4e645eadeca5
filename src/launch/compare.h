// Compares a buffer written by a kernel with its expected contents, element by element.
//
//   Comparer comparer(ElementType::kF32, 1e-6);
//   comparer.add(first_chunk, first_expected);
//   comparer.add(next_chunk, next_expected);
//   Comparison c = comparer.result();
//   c.different                         3 elements
//   c.first, c.got, c.expected          element 17: 1.5 instead of 1.25
//   c.largest_error                     0.25
//
// Without a tolerance, elements are equal if their bits are equal. With a tolerance, numbers are
// equal if |got - expected| ≤ tolerance · max(1, |expected|): absolute for small numbers, relative
// for large numbers. Two NaNs are equal, and so are two infinities of the same sign.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "launch/buffer.h"

namespace burin::launch {

enum class ElementType : std::uint8_t { kU8, kU32, kF16, kBf16, kF32, kF64 };
std::string_view name(ElementType type);  // "f32"
std::optional<ElementType> parse_element_type(std::string_view text);
unsigned element_bytes(ElementType type);
bool is_float(ElementType type);

// Returns the element type that a fill implies, or nothing if it implies none (zero, undef, file).
std::optional<ElementType> element_type_of(Fill fill);

struct Comparison {
  std::uint64_t elements = 0;  // elements compared
  std::uint64_t different = 0;
  std::uint64_t first = 0;  // index of the first differing element
  std::string got;          // values of the first differing element
  std::string expected;
  double largest_error = 0;  // max |got - expected| of differing elements; infinite if one is NaN

  bool equal() const { return different == 0; }
};

class Comparer {
 public:
  // A tolerance requires a floating-point type.
  explicit Comparer(ElementType type, std::optional<double> tolerance = std::nullopt)
      : type_(type), tolerance_(tolerance) {}

  // Adds the next part of both buffers, of the same size. Parts must be whole elements, except at
  // the end of the buffer, where a remainder is compared as one element of fewer bytes.
  void add(Bytes got, Bytes expected);

  const Comparison& result() const { return result_; }

 private:
  bool same(double got, double expected);

  ElementType type_;
  std::optional<double> tolerance_;
  Comparison result_;
};

// Returns the value of an element from its bytes, lowest byte first.
double element_value(ElementType type, Bytes bytes);

}  // namespace burin::launch
