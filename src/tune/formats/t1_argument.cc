#include "tune/formats/t1_argument.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "base/text.h"

namespace burin::tune {
namespace {

using formula::Value;

enum class T1Kind : std::uint8_t { kSigned, kUnsigned, kFloat };

struct T1Type {
  std::string_view name;  // in lower case, without _t
  unsigned bytes;         // of one component
  unsigned components;
  T1Kind kind;
};

constexpr T1Type kT1Types[] = {
    {"bool", 1, 1, T1Kind::kUnsigned},   {"char", 1, 1, T1Kind::kSigned},
    {"int8", 1, 1, T1Kind::kSigned},     {"uchar", 1, 1, T1Kind::kUnsigned},
    {"uint8", 1, 1, T1Kind::kUnsigned},  {"short", 2, 1, T1Kind::kSigned},
    {"int16", 2, 1, T1Kind::kSigned},    {"ushort", 2, 1, T1Kind::kUnsigned},
    {"uint16", 2, 1, T1Kind::kUnsigned}, {"int", 4, 1, T1Kind::kSigned},
    {"int32", 4, 1, T1Kind::kSigned},    {"uint", 4, 1, T1Kind::kUnsigned},
    {"uint32", 4, 1, T1Kind::kUnsigned}, {"long", 8, 1, T1Kind::kSigned},
    {"int64", 8, 1, T1Kind::kSigned},    {"ulong", 8, 1, T1Kind::kUnsigned},
    {"uint64", 8, 1, T1Kind::kUnsigned}, {"size", 8, 1, T1Kind::kUnsigned},
    {"half", 2, 1, T1Kind::kFloat},      {"float16", 2, 1, T1Kind::kFloat},
    {"float", 4, 1, T1Kind::kFloat},     {"float32", 4, 1, T1Kind::kFloat},
    {"double", 8, 1, T1Kind::kFloat},    {"float64", 8, 1, T1Kind::kFloat},
    {"int2", 4, 2, T1Kind::kSigned},     {"int4", 4, 4, T1Kind::kSigned},
    {"uint2", 4, 2, T1Kind::kUnsigned},  {"uint4", 4, 4, T1Kind::kUnsigned},
    {"float2", 4, 2, T1Kind::kFloat},    {"float4", 4, 4, T1Kind::kFloat},
    {"double2", 8, 2, T1Kind::kFloat},
};

const T1Type* find_type(const std::string& text) {
  std::string name = lower_case(text);
  if (name.starts_with("unsigned ")) name = "u" + name.substr(9);
  if (name.ends_with("_t")) name.resize(name.size() - 2);
  const auto* const found = std::ranges::find(kT1Types, name, &T1Type::name);
  return found == std::end(kT1Types) ? nullptr : found;
}

Result<const T1Type*> type_of(const T1Argument& argument) {
  const T1Type* type = find_type(argument.type);
  if (type != nullptr) return type;
  if (argument.type.empty()) return Error{"Type: the field is missing"};
  return Error{
      fmt::format("Type: there is no type '{}'; known are int8 to int64, uint8 to uint64, "
                  "half, float, double, and float2, float4 and the like",
                  argument.type)};
}

// The size in bytes, for a template: 4096, or {4*(n)}.
Result<std::string> bytes_text(const T1Argument& argument, const T1Type& type) {
  if (!argument.size) return Error{"Size: the field is missing"};
  const std::int64_t element = std::int64_t{type.bytes} * type.components;
  if (const auto* text = std::get_if<std::string>(&*argument.size)) {
    return fmt::format("{{{}*({})}}", element, *text);
  }
  const std::optional<std::int64_t> count = formula::integer(*argument.size);
  std::int64_t bytes = 0;
  if (!count || *count < 1 || __builtin_mul_overflow(*count, element, &bytes)) {
    return Error{
        fmt::format("Size: {} is not a number of elements", formula::plain_text(*argument.size))};
  }
  return fmt::format("{}", bytes);
}

Result<std::string> random_fill(const T1Argument& argument, const T1Type& type) {
  std::optional<double> limit;
  if (argument.fill_value) {
    limit = formula::number(*argument.fill_value);
    if (!limit) return Error{"FillValue: a number is needed for a Random vector"};
  }
  if (type.kind == T1Kind::kFloat) {
    if (!limit || *limit == 1) return fmt::format("f{}", 8 * type.bytes);
    return Error{
        fmt::format("FillValue: Random floating-point numbers are from 0 to 1, not to {}; "
                    "give a file with FillType BinaryRaw",
                    *limit)};
  }
  if (!limit) return std::string("u8");
  const bool whole = *limit >= 0 && *limit < 0x1p32 && *limit == std::floor(*limit);
  if (whole && type.bytes == 4) {
    return fmt::format("int:{}", static_cast<std::uint64_t>(*limit) + 1);
  }
  if (type.kind == T1Kind::kUnsigned && type.bytes == 1 && *limit == 255) return std::string("u8");
  return Error{
      fmt::format("FillValue: Random integers from 0 to {} are not possible for the type "
                  "{}; give a file with FillType BinaryRaw",
                  *limit, argument.type)};
}

Result<std::string> fill_of(const T1Argument& argument, const T1Type& type) {
  if (lower_case(argument.access) == "writeonly") return std::string("zero");
  const std::string fill = lower_case(argument.fill);
  if (fill == "random") return random_fill(argument, type);
  if (fill == "binaryraw") {
    if (argument.data_source.empty()) return Error{"DataSource: the path of the file is missing"};
    return "file:" + literal_template(argument.data_source);
  }
  if (fill == "constant" || (fill.empty() && argument.fill_value)) {
    const Value value = argument.fill_value.value_or(Value{std::int64_t{0}});
    if (formula::number(value) == 0.0) return std::string("zero");
    return Error{
        fmt::format("FillValue: a vector can be filled with 0 only, not with {}; give a "
                    "file with FillType BinaryRaw",
                    formula::plain_text(value))};
  }
  if (fill.empty()) return Error{"FillType: the field is missing"};
  return Error{
      fmt::format("FillType: '{}' is none of Constant, Random and BinaryRaw; write the "
                  "data to a file and use BinaryRaw",
                  argument.fill)};
}

// The bits of the half that is closest to `value`.
std::uint16_t half_bits(double value) {
  const auto difference = [&](std::uint32_t bits) {
    const std::array<std::uint8_t, 2> bytes = {static_cast<std::uint8_t>(bits),
                                               static_cast<std::uint8_t>(bits >> 8)};
    return std::abs(launch::element_value(launch::ElementType::kF16, bytes) - std::abs(value));
  };
  constexpr std::uint32_t kInfinity = 0x7c00;
  std::uint32_t best = 0;
  for (std::uint32_t bits = 1; bits < kInfinity; ++bits) {
    const bool closer = difference(bits) < difference(best);
    if (closer || (difference(bits) == difference(best) && bits % 2 == 0)) best = bits;
  }
  return static_cast<std::uint16_t>(best | (std::signbit(value) ? 0x8000u : 0u));
}

// hex:0011, in memory order, of an integer or half that has no type of its own in burin.
Result<std::string> short_scalar(const T1Type& type, const Value& value) {
  std::uint64_t bits = 0;
  if (type.kind == T1Kind::kFloat) {
    const std::optional<double> number = formula::number(value);
    constexpr double kMaxHalf = 65504;
    if (!number || !(std::abs(*number) <= kMaxHalf)) {
      return Error{"FillValue: a number from -65504 to 65504 is needed"};
    }
    bits = half_bits(*number);
  } else {
    const std::optional<std::int64_t> number = formula::integer(value);
    const std::int64_t count = std::int64_t{1} << (8 * type.bytes);
    const std::int64_t least = type.kind == T1Kind::kSigned ? -count / 2 : 0;
    if (!number || *number < least || *number >= least + count) {
      return Error{
          fmt::format("FillValue: an integer from {} to {} is needed", least, least + count - 1)};
    }
    bits = static_cast<std::uint64_t>(*number);
  }
  std::string text = "hex:";
  for (unsigned byte = 0; byte < type.bytes; ++byte) {
    text += fmt::format("{:02x}", (bits >> (8 * byte)) & 0xff);
  }
  return text;
}

Result<std::string> scalar_text(const T1Argument& argument, const T1Type& type) {
  if (!argument.fill.empty() && lower_case(argument.fill) != "constant") {
    return Error{"FillType: a scalar needs Constant"};
  }
  if (!argument.fill_value) return Error{"FillValue: the field is missing"};
  if (type.components > 1) {
    return Error{fmt::format("Type: a scalar cannot be of type {}", argument.type)};
  }
  const Value& value = *argument.fill_value;
  if (type.bytes < 4) return short_scalar(type, value);
  const std::string prefix =
      fmt::format("{}{}:", "iuf"[static_cast<unsigned>(type.kind)], 8 * type.bytes);
  if (const auto* text = std::get_if<std::string>(&value)) {
    return fmt::format("{}{{{}}}", prefix, "(" + *text + ")");
  }
  const std::optional<std::int64_t> whole = formula::integer(value);
  if (whole) return fmt::format("{}{}", prefix, *whole);
  if (type.kind != T1Kind::kFloat) {
    return Error{fmt::format("FillValue: {} is not an integer", formula::plain_text(value))};
  }
  return prefix + formula::plain_text(value);
}

Result<std::string> symbol_text(const T1Argument& argument, const T1Type& type) {
  if (argument.name.empty()) return Error{"Name: the field is missing"};
  const bool single = !argument.size || formula::integer(*argument.size) == 1;
  const bool value = lower_case(argument.fill) == "constant" && argument.fill_value &&
                     formula::number(*argument.fill_value) != 0.0;
  Result<std::string> fill =
      single && value ? scalar_text(argument, type) : fill_of(argument, type);
  if (!fill) return fill;
  return literal_template(argument.name) + "=" + *fill;
}

}  // namespace

Result<T1Memory> memory_of(const T1Argument& argument) {
  const std::string memory = lower_case(argument.memory);
  if (memory == "scalar") return T1Memory::kScalar;
  if (memory == "vector") return T1Memory::kVector;
  if (memory == "local") return T1Memory::kLocal;
  if (memory == "symbol") return T1Memory::kSymbol;
  if (memory.empty()) return Error{"MemoryType: the field is missing"};
  return Error{
      fmt::format("MemoryType: '{}' is none of Scalar, Vector, Local and Symbol", argument.memory)};
}

Result<bool> is_output(const T1Argument& argument) {
  const std::string access = lower_case(argument.access);
  if (!access.empty() && access != "readonly" && access != "writeonly" && access != "readwrite") {
    return Error{fmt::format("AccessType: '{}' is none of ReadOnly, WriteOnly and ReadWrite",
                             argument.access)};
  }
  return access != "readonly" && lower_case(argument.memory) == "vector";
}

bool is_integer_scalar(const T1Argument& argument) {
  const T1Type* type = find_type(argument.type);
  return type != nullptr && type->kind != T1Kind::kFloat && type->bytes >= 4 &&
         type->components == 1 && lower_case(argument.memory) == "scalar" && argument.fill_value &&
         formula::integer(*argument.fill_value);
}

Result<std::string> t1_argument_text(const T1Argument& argument) {
  const Result<T1Memory> memory = memory_of(argument);
  if (!memory) return memory.error();
  const Result<const T1Type*> type = type_of(argument);
  if (!type) return type.error();
  if (*memory == T1Memory::kScalar) return scalar_text(argument, **type);
  if (*memory == T1Memory::kSymbol) return symbol_text(argument, **type);
  const Result<std::string> bytes = bytes_text(argument, **type);
  if (!bytes || *memory == T1Memory::kLocal) return bytes ? "local:" + *bytes : bytes;
  const Result<std::string> fill = fill_of(argument, **type);
  if (!fill) return fill;
  return fmt::format("buf:{}:{}", *bytes, *fill);
}

launch::ElementType element_type_of(const T1Argument& argument) {
  const T1Type& type = *find_type(argument.type);
  using launch::ElementType;
  if (type.kind != T1Kind::kFloat) return type.bytes < 4 ? ElementType::kU8 : ElementType::kU32;
  return type.bytes == 2   ? ElementType::kF16
         : type.bytes == 4 ? ElementType::kF32
                           : ElementType::kF64;
}

std::string literal_template(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c;
    if (c == '{' || c == '}') escaped += c;
  }
  return escaped;
}

}  // namespace burin::tune
