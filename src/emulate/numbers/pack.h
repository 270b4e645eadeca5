// Conversions that pack several results into one register, and conversions with 32-bit results.
// Their rows are in execute/convert.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulate/numbers/float_format.h"
#include "emulate/state/lower.h"

namespace burin::emulate {

// A float type with its modifier name. Op::mode holds its index in a table.
struct FloatType {
  std::string_view name;
  FloatFormat format;
};

// Returns the index of the type with that name, or nothing. `silent` is the type of an instruction
// that names none.
template <typename Types>
std::optional<std::uint8_t> index_of(const Types& types, std::string_view name,
                                     std::string_view silent = {}) {
  if (name.empty()) name = silent;
  for (std::size_t k = 0; k < types.size(); ++k)
    if (types[k].name == name) return static_cast<std::uint8_t>(k);
  return std::nullopt;
}

bool lower_f2fp(Lowering& l, const read::Instruction& i, Op& op);
bool lower_i2fp(Lowering& l, const read::Instruction& i, Op& op);  // also I2F from 32 bits to F32
bool lower_f2ip(Lowering& l, const read::Instruction& i, Op& op);
bool lower_i2i(Lowering& l, const read::Instruction& i, Op& op);
bool lower_i2ip(Lowering& l, const read::Instruction& i, Op& op);

}  // namespace burin::emulate
