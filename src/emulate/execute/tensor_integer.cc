// IMMA and BMMA: a warp's products of integer and of one-bit matrices.
#include "emulate/numbers/tensor_integer.h"

#include "emulate/execute/tensor.h"
#include "emulate/numbers/sparse.h"

namespace burin::emulate {

namespace {

enum : std::uint8_t { kSignedA = 1, kSignedB = 2 };  // in mode[kSignedness]

void execute_integer_product(Warp& warp, const Op& op) {
  const bool tall = op.mode[kTall] != 0;
  if (!wants_products(warp)) return leave_unknown(warp, op, tall ? 4 : 2);
  const unsigned rows = tall ? 16 : 8;
  const IntegerElements elements{.bits = op.mode[kBits],
                                 .a_signed = (op.mode[kSignedness] & kSignedA) != 0,
                                 .b_signed = (op.mode[kSignedness] & kSignedB) != 0};
  const Fragment a = fragment_a(warp, op.source[0], op.mode[kRegistersA], tall);
  const Fragment b = fragment_b(warp, op.source[1], op.mode[kRegistersB]);
  const unsigned products = a.registers * kWarpLanes * 32 / elements.bits / rows;

  IntegerTiles tiles;
  AccumulatorTile c;
  fill_rows(a, tall, elements, tiles);
  fill_columns(b, elements, tiles);
  gather(warp, op.source[2], 0, tall, false, c);
  Mask unknown_rows = a.unknown_lines;
  if (op.mode[kSparse] != 0) {
    read_metadata(warp.plain(op.source[3]), op.mode[kSelector], products, elements.bits,
                  tiles.meets[0], kMaxPresent);
    if (warp.unknown_of(op.source[3]) != 0) unknown_rows = kAllLanes;
  } else {
    meet_in_order(products, tiles.meets[0], kMaxPresent);
  }
  multiply_add(tiles, rows, products, static_cast<IntegerRule>(op.mode[kRuleMode]), c.words);
  scatter(warp, op.destination[0], 0, tall, false, c, unknown_rows, b.unknown_lines);
}

}  // namespace

bool lower_imma(Lowering& l, const read::Instruction& i, Op& op) {
  const std::string_view a = i.modifier("a");
  const std::string_view b = i.modifier("b");
  if (!lower_product(l, i, op) || a.size() != 2 || b.size() != 2 || a[1] != b[1]) return false;
  if (a[1] != '8' && a[1] != '4') return false;
  op.mode[kBits] = static_cast<std::uint8_t>(a[1] - '0');
  op.mode[kSignedness] =
      static_cast<std::uint8_t>((a[0] == 'S' ? kSignedA : 0) | (b[0] == 'S' ? kSignedB : 0));
  op.mode[kRuleMode] = static_cast<std::uint8_t>(rule_of_integers(i));
  op.execute = execute_integer_product;
  return true;
}

bool lower_bmma(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_product(l, i, op) || i.modifier("popc") != "POPC") return false;
  op.mode[kBits] = 32;
  op.mode[kRuleMode] = static_cast<std::uint8_t>(rule_of_bits(i));
  op.execute = execute_integer_product;
  return true;
}

}  // namespace burin::emulate
