// HMMA and QMMA: a warp's products of float matrices; and the table of all tensor instructions.
#include "emulate/execute/tensor.h"

#include <bit>

#include "emulate/numbers/fragment.h"
#include "emulate/numbers/sparse.h"
#include "emulate/numbers/tensor_float.h"

namespace burin::emulate {

namespace {

struct NamedFormat {
  std::string_view text;
  TensorFormat format;
};
constexpr NamedFormat kFormats[] = {
    {"", TensorFormat::kF16},      {"BF16", TensorFormat::kBf16}, {"TF32", TensorFormat::kTf32},
    {"E4M3", TensorFormat::kE4m3}, {"E5M2", TensorFormat::kE5m2},
};
std::optional<TensorFormat> format_named(std::string_view text) {
  for (const NamedFormat& f : kFormats)
    if (f.text == text) return f.format;
  return std::nullopt;
}

void execute_float_product(Warp& warp, const Op& op) {
  const auto format_a = static_cast<TensorFormat>(op.mode[kFormatA]);
  const auto format_b = static_cast<TensorFormat>(op.mode[kFormatB]);
  const auto how = std::bit_cast<Accumulation>(op.immediate);
  if (!wants_products(warp)) return leave_unknown(warp, op, how.half ? 2 : 4);
  const bool sparse = op.mode[kSparse] != 0;
  const Fragment a = fragment_a(warp, op.source[0], op.mode[kRegistersA], true);
  const Fragment b = fragment_b(warp, op.source[1], op.mode[kRegistersB]);
  const unsigned bits = bits_of(format_a);
  const unsigned products = a.registers * 64 / bits;  // 32 lanes' words over 16 rows

  FloatRows rows;
  FloatColumns columns;
  AccumulatorTile c;
  bool special = decode_rows(a, format_a, false, rows);
  special |= decode_columns(b, format_b, columns);
  gather(warp, op.source[2], 0, true, how.half, c);
  Mask unknown_rows = a.unknown_lines;
  if (sparse) {
    read_metadata(warp.plain(op.source[3]), op.mode[kSelector], products, bits, rows.meets[0],
                  kMaxProducts);
    if (warp.unknown_of(op.source[3]) != 0) unknown_rows = kAllLanes;
  } else {
    meet_in_order(products, rows.meets[0], kMaxProducts);
  }
  multiply_add(rows, kTileRows, products, columns, how, special || c.special, c.words);
  scatter(warp, op.destination[0], 0, true, how.half, c, unknown_rows, b.unknown_lines);
}

bool lower_float_product(Lowering& l, const read::Instruction& i, Op& op, std::string_view a,
                         std::string_view b) {
  if (!lower_product(l, i, op) || op.mode[kTall] == 0) return false;
  const auto format_a = format_named(a);
  const auto format_b = format_named(b);
  if (!format_a || !format_b) return false;
  const Accumulation how =
      accumulation_of(l.program().kernel->image->arch, *format_a, i.modifier("to") == "F16");
  if (how.together == 0) return false;
  op.mode[kFormatA] = static_cast<std::uint8_t>(*format_a);
  op.mode[kFormatB] = static_cast<std::uint8_t>(*format_b);
  op.immediate = std::bit_cast<std::uint32_t>(how);
  op.execute = execute_float_product;
  return true;
}

bool lower_hmma(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_float_product(l, i, op, i.modifier("from"), i.modifier("from"));
}

bool lower_qmma(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_float_product(l, i, op, i.modifier("a"), i.modifier("b"));
}

}  // namespace

bool lower_product(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  if (operands.size() < 4) return false;
  for (std::size_t k = 0; k < 4; ++k) {
    const read::Operand& o = operands[k];
    if (!o.is_register(read::RegisterFile::kGeneral) || o.negated || o.absolute) return false;
    // Rows of A against columns of B is the only layout the compiler makes.
    if (o.suffix == (k == 1 ? "COL" : "ROW")) return false;
  }
  op.destination[0] = l.destination(operands[0]);
  for (std::size_t k = 0; k < 3; ++k) op.source[k] = l.source(operands[k + 1]);
  op.mode[kRegistersA] = operands[1].count;
  op.mode[kRegistersB] = operands[2].count;
  op.mode[kTall] = i.modifier("shape").starts_with("16");
  op.mode[kSparse] = i.modifier("sp") == "SP";
  for (const read::Operand& o : operands.subspan(4)) {
    if (o.is_register(read::RegisterFile::kUniformPredicate)) {
      if (o.index != read::kZeroRegister || o.inverted) return false;
    } else if (o.is_register(read::RegisterFile::kGeneral)) {
      op.source[3] = l.source(o);
    } else if (o.kind == read::Operand::Kind::kImmediate) {
      op.mode[kSelector] = static_cast<std::uint8_t>(o.value);
    } else {
      return false;
    }
  }
  return true;
}

std::span<const LowerRow> tensor_rows() {
  static constexpr LowerRow kRows[] = {
      {"HMMA", lower_hmma}, {"QMMA", lower_qmma}, {"IMMA", lower_imma}, {"BMMA", lower_bmma},
      {"DMMA", lower_dmma}, {"LDSM", lower_ldsm}, {"STSM", lower_stsm}, {"MOVM", lower_movm},
  };
  return kRows;
}

}  // namespace burin::emulate
