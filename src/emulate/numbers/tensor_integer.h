// Products of small integer and one-bit matrices. The products are exact; only the sum with the
// accumulator can wrap or saturate.
//
//   IntegerTiles t;
//   fill_rows(a, true, {.bits = 8, .a_signed = true}, t);
//   fill_columns(b, {.bits = 8}, t);
//   multiply_add(t, 16, 32, IntegerRule::kWrap, c);
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/numbers/fragment.h"
#include "read/isa/instruction.h"

namespace burin::emulate {

struct IntegerElements {
  unsigned bits = 8;  // 8, 4, or 32 for a word of one-bit elements
  bool a_signed = false;
  bool b_signed = false;
};

enum class IntegerRule : std::uint8_t {
  kWrap,
  kSaturate,
  kXor,  // one-bit elements: count of bits that differ
  kAnd,  // one-bit elements: count of bits set in both
};
// Return the rule of an integer instruction and of a one-bit instruction. An Op stores the rule in
// mode[kRuleMode].
IntegerRule rule_of_integers(const read::Instruction& i);
IntegerRule rule_of_bits(const read::Instruction& i);
inline constexpr std::size_t kRuleMode = 7;

inline constexpr unsigned kMaxPresent = 64;    // elements present in a row of A
inline constexpr unsigned kMaxElements = 128;  // elements along K

struct IntegerTiles {
  std::int32_t a[kTileRows][kMaxPresent];
  std::uint8_t meets[kTileRows][kMaxPresent];  // row of B that the element is multiplied with
  alignas(32) std::int32_t b[kMaxElements][kTileColumns];
};

void fill_rows(const Fragment& a, bool tall, const IntegerElements& elements, IntegerTiles& out);
void fill_columns(const Fragment& b, const IntegerElements& elements, IntegerTiles& out);

// Computes c = a · b + c for the first `rows` rows.
void multiply_add(const IntegerTiles& tiles, unsigned rows, unsigned products, IntegerRule rule,
                  TileWords& c);

}  // namespace burin::emulate
