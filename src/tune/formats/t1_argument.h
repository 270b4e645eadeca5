// An argument of a kernel as a T1 file describes it, and as burin writes it (docs/arguments.md).
//
//   T1Argument a{.name = "input", .type = "float", .memory = "Vector", .access = "ReadOnly",
//                .fill = "Random", .size = Value{"n * n"}};
//   t1_argument_text(a)      "buf:{4*(n * n)}:f32"
//
// Sizes of vectors are in elements. An integer of a Random vector is from 0 to FillValue; a
// floating-point number is from 0 to 1, and no other FillValue is possible. The contents of a
// WriteOnly vector do not matter: they are zeros.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formula/value.h"
#include "launch/compare.h"

namespace burin::tune {

// The fields of the file, "" or nothing where they are missing. Text values are expressions.
struct T1Argument {
  std::string name{};
  std::string type{};         // float, int32, …
  std::string memory{};       // Scalar, Vector, Local (OpenCL) or Symbol (CUDA)
  std::string access{};       // ReadOnly, WriteOnly or ReadWrite
  std::string fill{};         // Constant, Random or BinaryRaw
  std::string data_source{};  // of BinaryRaw: a path
  std::optional<formula::Value> size{};
  std::optional<formula::Value> fill_value{};
};

enum class T1Memory : std::uint8_t { kScalar, kVector, kLocal, kSymbol };

// Errors of all these begin with the name of the field: "FillType: …".
Result<T1Memory> memory_of(const T1Argument& argument);
Result<bool> is_output(const T1Argument& argument);  // a vector that the kernel may write

// Whether a problem size can be passed by it: a scalar of 32 or 64 bits with an integer value.
bool is_integer_scalar(const T1Argument& argument);

// The text of an argument, or SYMBOL=FILL of a symbol, for formula::Template.
Result<std::string> t1_argument_text(const T1Argument& argument);

// How two such vectors are compared: integers by their bits. The type must be a known one.
launch::ElementType element_type_of(const T1Argument& argument);

// With braces doubled, for a formula::Template that contains the text itself.
std::string literal_template(std::string_view text);

}  // namespace burin::tune
