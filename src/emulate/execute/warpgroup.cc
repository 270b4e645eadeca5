// HGMMA, QGMMA, IGMMA, BGMMA: products of a warpgroup, four warps that multiply 64 rows of A by up
// to 256 columns of B; and the instructions that order them.
//
// In hardware they run on while the warps do other work. Here each warp computes its own 16 rows
// when it comes to the instruction. That is the same for a program that follows the rules: it
// fences (WARPGROUP.ARRIVE) after the registers and the shared memory are written and before the
// product, and neither reads the results nor overwrites the operands before it has waited
// (WARPGROUP.DEPBAR).
#include <bit>

#include "emulate/access/shared_matrix.h"
#include "emulate/numbers/sparse.h"
#include "emulate/numbers/tensor_integer.h"
#include "emulate/state/block.h"

namespace burin::emulate {

namespace {

// In Op::mode.
enum : unsigned { kTypeA, kTypeB, kColumnGroups, kFlags, kEndsGroup };
// In mode[kFlags].
enum : std::uint8_t { kSharedA = 1, kNegateA = 2, kNegateB = 4, kTransposeA = 8, kTransposeB = 16 };

constexpr std::uint32_t kGroupWarps = 4;
constexpr unsigned kBytesAlongK = 32;  // of every product but the sparse ones

bool has(const Op& op, std::uint8_t flag) {
  return (op.mode[kFlags] & flag) != 0;
}

// The operands that all of these products share.
struct GroupOperands {
  LoadedFragment loaded;
  Fragment a;
  MatrixDescriptor b;
  bool accumulate = true;
  bool unknown = false;  // the descriptors or the predicate are not known: so is all of D
};

void read_operands(Warp& warp, const Op& op, GroupOperands& out) {
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  const auto word = [&](unsigned k) { return warp.plain(op.source[1], k)[lane]; };
  const auto unknown = [&](unsigned k) { return warp.unknown_of(op.source[1], k) != 0; };
  out.unknown = unknown(2) || unknown(3) || warp.unknown_of(op.predicate_in[0]) != 0;
  out.accumulate = (warp.get(op.predicate_in[0]) >> lane & 1) != 0;
  out.b = read_descriptor(word(2), word(3));  // B's descriptor follows A's, even if A has none
  if (!has(op, kSharedA)) {
    out.a = fragment_a(warp, op.source[0], 4, true);
    return;
  }
  out.unknown |= unknown(0) || unknown(1);
  if (out.unknown) return;
  load_fragment(warp, read_descriptor(word(0), word(1)), 16 * (warp.index % 4), true,
                has(op, kTransposeA), kBytesAlongK, out.loaded);
  out.a = out.loaded.fragment;
}

// Takes multiply(b, c) over D, eight columns at a time.
template <typename Multiply>
void for_each_column_group(Warp& warp, const Op& op, const GroupOperands& operands, bool half,
                           Multiply multiply) {
  const unsigned registers = half ? 2 : 4;
  LoadedFragment b;
  AccumulatorTile c;
  for (unsigned n = 0; n < op.mode[kColumnGroups]; ++n) {
    load_fragment(warp, operands.b, 8 * n, false, has(op, kTransposeB), kBytesAlongK, b);
    gather(warp, operands.accumulate ? op.source[2] : Source{}, n * registers, true, half, c);
    multiply(b.fragment, c);
    scatter(warp, op.destination[0], n * registers, true, half, c, operands.a.unknown_lines,
            b.fragment.unknown_lines);
  }
}

void execute_float_group(Warp& warp, const Op& op) {
  const auto format_a = static_cast<TensorFormat>(op.mode[kTypeA]);
  const auto format_b = static_cast<TensorFormat>(op.mode[kTypeB]);
  const auto how = std::bit_cast<Accumulation>(op.immediate);
  const unsigned registers = op.mode[kColumnGroups] * (how.half ? 2u : 4u);
  warp.product_groups += op.mode[kEndsGroup];
  if (!wants_products(warp)) return leave_unknown(warp, op, registers);
  GroupOperands operands;
  read_operands(warp, op, operands);
  if (operands.unknown) return leave_unknown(warp, op, registers);
  const unsigned products = 8 * kBytesAlongK / bits_of(format_a);
  FloatRows rows;
  FloatColumns columns;
  // One sign for both: a product changes its sign with either factor's.
  const bool special_a =
      decode_rows(operands.a, format_a, has(op, kNegateA) != has(op, kNegateB), rows);
  meet_in_order(products, rows.meets[0], kMaxProducts);
  for_each_column_group(warp, op, operands, how.half, [&](const Fragment& b, AccumulatorTile& c) {
    const bool special_b = decode_columns(b, format_b, columns);
    multiply_add(rows, kTileRows, products, columns, how, special_a || special_b || c.special,
                 c.words);
  });
}

void execute_integer_group(Warp& warp, const Op& op) {
  warp.product_groups += op.mode[kEndsGroup];
  if (!wants_products(warp)) return leave_unknown(warp, op, op.mode[kColumnGroups] * 4u);
  GroupOperands operands;
  read_operands(warp, op, operands);
  if (operands.unknown) return leave_unknown(warp, op, op.mode[kColumnGroups] * 4u);
  const auto rule = static_cast<IntegerRule>(op.mode[kRuleMode]);
  const bool words = rule == IntegerRule::kXor || rule == IntegerRule::kAnd;
  const IntegerElements elements{
      .bits = words ? 32u : 8u, .a_signed = op.mode[kTypeA] != 0, .b_signed = op.mode[kTypeB] != 0};
  const unsigned products = 8 * kBytesAlongK / elements.bits;
  IntegerTiles tiles;
  fill_rows(operands.a, true, elements, tiles);
  meet_in_order(products, tiles.meets[0], kMaxPresent);
  for_each_column_group(warp, op, operands, false, [&](const Fragment& b, AccumulatorTile& c) {
    fill_columns(b, elements, tiles);
    multiply_add(tiles, kTileRows, products, rule, c.words);
  });
}

// 64x128x16: the columns in groups of eight; 0: another kind of shape, or not 32 bytes deep.
std::uint8_t column_groups(std::string_view shape, unsigned element_bits) {
  const auto number = [](std::string_view& text) {
    unsigned value = 0;
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1))
      value = 10 * value + static_cast<unsigned>(text[0] - '0');
    if (!text.empty()) text.remove_prefix(1);
    return value;
  };
  const unsigned rows = number(shape);
  const unsigned columns = number(shape);
  const unsigned depth = number(shape);
  const bool whole = rows == 64 && columns >= 8 && columns <= 256 && columns % 8 == 0;
  return whole && depth * element_bits == 8 * kBytesAlongK ? static_cast<std::uint8_t>(columns / 8)
                                                           : 0;
}

// D, then gdesc[…] of both or A's registers and gdesc[…] of B, then C, then the predicate without
// which C counts as zero. Sparse products are refused: where their metadata lies is not confirmed.
bool lower_group(Lowering& l, const read::Instruction& i, Op& op, unsigned element_bits) {
  const auto operands = i.operands();
  op.mode[kColumnGroups] = column_groups(i.modifier("shape"), element_bits);
  if (i.modifier("sp") == "SP" || op.mode[kColumnGroups] == 0 || operands.size() < 3) return false;
  // The last product of a group names the scoreboard that WARPGROUP.DEPBAR waits for.
  for (const read::Operand& o : operands)
    if (o.kind == read::Operand::Kind::kGroupScoreboard && !o.hidden) op.mode[kEndsGroup] = 1;
  std::size_t k = 1;
  if (operands[1].kind == read::Operand::Kind::kRegister) {
    if (operands[1].absolute) return false;
    op.source[0] = l.source(operands[1]);
    op.source[0].change = Source::Change::kNone;
    if (operands[1].negated) op.mode[kFlags] |= kNegateA;
    ++k;
  } else {
    op.mode[kFlags] |= kSharedA;
  }
  const read::Operand& memory = operands[k];
  if (memory.kind != read::Operand::Kind::kMemory || memory.prefix != "gdesc" ||
      k + 1 >= operands.size())
    return false;
  read::Operand descriptor;
  descriptor.file = read::RegisterFile::kUniform;
  descriptor.index =
      memory.uniform != read::Operand::kNoRegister ? memory.uniform : memory.descriptor;
  if (descriptor.index == read::Operand::kNoRegister) return false;
  op.source[1] = l.source(descriptor);
  constexpr std::pair<std::string_view, std::uint8_t> kWords[] = {
      {"negA", kNegateA}, {"negB", kNegateB}, {"tnspA", kTransposeA}, {"tnspB", kTransposeB}};
  for (const auto& [word, flag] : kWords)
    if (memory.suffix.find(word) != std::string_view::npos) op.mode[kFlags] |= flag;
  if ((op.mode[kFlags] & (kTransposeA | kTransposeB)) != 0 && element_bits != 16) return false;
  op.destination[0] = l.destination(operands[0]);
  op.source[2] = l.source(operands[k + 1]);
  for (const read::Operand& o : operands.subspan(k + 2))
    if (o.is_register(read::RegisterFile::kUniformPredicate)) op.predicate_in[0] = l.predicate(o);
  return true;
}

bool lower_float_group(Lowering& l, const read::Instruction& i, Op& op, TensorFormat a,
                       TensorFormat b) {
  const Accumulation how =
      accumulation_of(l.program().kernel->image->arch, a, i.modifier("to") == "F16");
  if (how.together == 0 || !lower_group(l, i, op, bits_of(a))) return false;
  op.mode[kTypeA] = static_cast<std::uint8_t>(a);
  op.mode[kTypeB] = static_cast<std::uint8_t>(b);
  op.immediate = std::bit_cast<std::uint32_t>(how);
  op.execute = execute_float_group;
  return true;
}

bool lower_hgmma(Lowering& l, const read::Instruction& i, Op& op) {
  const std::string_view from = i.modifier("from");
  const TensorFormat format = from == "BF16"   ? TensorFormat::kBf16
                              : from == "TF32" ? TensorFormat::kTf32
                                               : TensorFormat::kF16;
  return (from.empty() || format != TensorFormat::kF16) &&
         lower_float_group(l, i, op, format, format);
}

bool lower_qgmma(Lowering& l, const read::Instruction& i, Op& op) {
  const auto format = [&](std::string_view name) {
    return i.modifier(name) == "E5M2" ? TensorFormat::kE5m2 : TensorFormat::kE4m3;
  };
  return lower_float_group(l, i, op, format("a"), format("b"));
}

bool lower_igmma(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_group(l, i, op, 8)) return false;
  op.mode[kTypeA] = i.modifier("a") == "S8";
  op.mode[kTypeB] = i.modifier("b") == "S8";
  op.mode[kRuleMode] = static_cast<std::uint8_t>(rule_of_integers(i));
  op.execute = execute_integer_group;
  return true;
}

bool lower_bgmma(Lowering& l, const read::Instruction& i, Op& op) {
  if (i.modifier("popc") != "POPC" || !lower_group(l, i, op, 1)) return false;
  op.mode[kRuleMode] = static_cast<std::uint8_t>(rule_of_bits(i));
  op.execute = execute_integer_group;
  return true;
}

// Waits until all four warps have counted so far.
void wait_for_group(Warp& warp, std::uint64_t Warp::* counted, std::uint64_t so_far) {
  const std::uint32_t first = warp.index / kGroupWarps * kGroupWarps;
  const auto& warps = warp.block->warps;
  for (std::uint32_t w = first; w < first + kGroupWarps && w < warps.size(); ++w) {
    if (warps[w]->live == 0 || *warps[w].*counted >= so_far) continue;
    warp.retry = true;
    return;
  }
  for (std::uint32_t w = first; w < first + kGroupWarps && w < warps.size(); ++w) {
    if (w == warp.index) continue;
    join(warp.clock, warps[w]->clock);
    ++warps[w]->clock[w % warp.clock.size()];
  }
}

// All but the last `immediate` groups of products must be complete, for all four warps. Each warp
// has done its own part, but a thread that this warp notifies that the operands may be overwritten
// relies on all four warps having read them.
void execute_products_wait(Warp& warp, const Op& op) {
  const std::uint64_t begun = warp.product_groups;
  wait_for_group(warp, &Warp::product_groups, begun > op.immediate ? begun - op.immediate : 0);
}

// In addition to a fence, this is a barrier of the warpgroup: cuBLAS lets one warp store data that
// all four warps have put into shared memory.
void execute_group_arrive(Warp& warp, const Op&) {
  ++warp.group_arrivals;
}
void execute_group_wait(Warp& warp, const Op&) {
  wait_for_group(warp, &Warp::group_arrivals, warp.group_arrivals);
}

bool lower_warpgroup(Lowering&, const read::Instruction& i, Op& op) {
  const std::string_view kind = i.modifier("kind");
  op.execute = kind == "DEPBAR" ? execute_products_wait
               : kind == "WAIT" ? execute_group_wait
                                : execute_group_arrive;
  if (kind == "DEPBAR") op.immediate = static_cast<std::uint32_t>(i.operands()[1].value);
  return true;
}

// The register file has any size that the program requests.
void execute_granted(Warp& warp, const Op& op) {
  const Mask exec = warp.exec;
  warp.exec = kAllLanes;  // a uniform predicate is the same in all lanes
  warp.set_predicate(op.predicate_out[0], kAllLanes, 0);
  warp.exec = exec;
}

bool lower_usetmaxreg(Lowering& l, const read::Instruction& i, Op& op) {
  op.execute = execute_nothing;
  if (i.modifier("kind") != "TRY_ALLOC") return true;
  op.predicate_out[0] = l.predicate_destination(i.operands()[0]);
  op.execute = execute_granted;
  return true;
}

}  // namespace

std::span<const LowerRow> warpgroup_rows() {
  static constexpr LowerRow kRows[] = {
      {"HGMMA", lower_hgmma}, {"QGMMA", lower_qgmma},         {"IGMMA", lower_igmma},
      {"BGMMA", lower_bgmma}, {"WARPGROUP", lower_warpgroup}, {"USETMAXREG", lower_usetmaxreg},
  };
  return kRows;
}

}  // namespace burin::emulate
